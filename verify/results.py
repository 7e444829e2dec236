"""Result files, read with plain NumPy: shapes, types, and that the arrays fit together."""

import numpy as np

from program import Program, Tree

FRAMES = 4


def check(program: Program) -> list[str]:
    """What is wrong with the file of a short run."""
    run = program.simulate(Tree("fork", "fork"), "results", 1.0 / 30.0, FRAMES, 1)
    frames, bodies = len(run["time"]), len(run["parent"])
    x, q, parent = run["joint_position"], run["rotation"], run["parent"][1:]
    child = x[:, parent] + rotate(q[:, parent], run["joint_in_parent"][None, 1:])
    facts = {
        "row 0 is the start": frames == FRAMES + 1 and run["time"][0] == 0.0,
        "dt and substeps": run["dt"] == 1.0 / 30.0 and run["substeps"] == 1,
        "shapes": q.shape == (frames, bodies, 4) and run["inertia_in_body"].shape == (bodies, 3, 3),
        "parents come first": run["parent"][0] == -1 and np.all(run["parent"] < np.arange(bodies)),
        "rotations are unit quaternions": np.allclose(np.linalg.norm(q, axis=2), 1.0),
        "a child's joint lies at its place in the parent's frame": np.allclose(x[:, 1:], child, atol=1e-5),
    }
    return [f"result file: not so: {fact}" for fact, holds in facts.items() if not holds]


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors turned by quaternions, xyzw."""
    t = 2.0 * np.cross(q[..., :3], v)
    return v + q[..., 3:] * t + np.cross(q[..., :3], t)
