"""Result and skeleton files, read with plain NumPy: shapes, types, and that the arrays fit together."""

import tomllib
from pathlib import Path

import numpy as np

from program import Program, Tree

FRAMES = 4
SCAN = Path(__file__).parent.parent / "crates/treesway-io/tests/data/wytham.csv"


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
    wrong = [f"result file: not so: {fact}" for fact, holds in facts.items() if not holds]
    return wrong + check_skeleton(program)


def check_skeleton(program: Program) -> list[str]:
    """What is wrong with the skeleton file of the small scan of our own."""
    saved = program.folder / "small-skeleton.npz"
    program.text("import", str(SCAN), "-o", str(saved))
    rows = np.genfromtxt(SCAN, delimiter=",", names=True)
    with np.load(saved) as file:
        tree = {name: file[name] for name in file.files}
    nodes, parent = tree["branch_nodes"], tree["branch_parent"]
    first = np.cumsum(nodes) - nodes
    steps = np.linalg.norm(np.diff(tree["node_position"].astype(float), axis=0), axis=1)
    # From the last node of a branch to the first of the next there is no wood.
    within = np.ones(len(steps), bool)
    within[first[1:] - 1] = False
    volume = np.sum((np.pi * tree["node_radius"][:-1].astype(float) ** 2 * steps)[within])
    settings = tomllib.loads(bytes(tree["settings"]).decode())
    facts = {
        "the version is 1": tree["version"] == 1,
        "one trunk": np.sum(parent == -1) == 1 and np.all(parent < len(parent)),
        "nodes are counted": nodes.sum() == len(tree["node_radius"]) == len(tree["node_position"]) and np.all(nodes >= 2),
        "all of it is cylinders": np.all(tree["branch_stepped"] == 1),
        "the axis that is interrupted goes on": np.sum(tree["branch_continues"]) == 1,
        "the volume is the scan's": np.isclose(volume, np.sum(np.pi * rows["radius_m"] ** 2 * rows["length_m"]), rtol=1e-4),
        "y is up": np.argmax(np.ptp(tree["node_position"], axis=0)) == 1,
        "the settings are TOML": settings["cut"]["segment_length"] > 0,
        "there are no leaves": len(tree["leaf_branch"]) == 0 and tree["leaf_rotation"].shape == (0, 4),
    }
    return [f"skeleton file: not so: {fact}" for fact, holds in facts.items() if not holds]


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors turned by quaternions, xyzw."""
    t = 2.0 * np.cross(q[..., :3], v)
    return v + q[..., 3:] * t + np.cross(q[..., :3], t)
