"""How long other engines take to compute a frame of an exported tree, each at its largest stable step.

MuJoCo is given the largest step with which it stays stable, by each of its integrators that could be the fastest: `euler` and `implicitfast`
take dampers implicitly, `discrete` also springs. Its `implicit` and `RK4` have the stability of `implicitfast` or less and cost
several times as much per step. Pinocchio takes springs and dampers implicitly (see there).

Run as a program with the name of an MJCF file; prints JSON. It takes minutes to load a large model in MuJoCo.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

FRAME = 1.0 / 30.0  # s
MOST_STEPS_PER_FRAME = 256
INTEGRATORS = ["EULER", "IMPLICITFAST", "DISCRETE"]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Trial:
    """A loaded tree that is run with different steps. `most` is how far it may swing, m."""

    def __init__(self, tree, most: float):
        self.tree = tree
        tree.reset()
        self.start = tree.joints()
        self.most = most

    def is_stable(self, steps: int, seconds: float = 1.0) -> bool:
        """Whether it swings within bounds and without a warning."""
        self.tree.reset()
        for _ in range(round(seconds / FRAME)):
            self.tree.step(FRAME / steps, steps)
            if self.tree.warnings() or not displacement(self.tree.joints(), self.start) <= self.most:
                return False
        return True

    def fewest_steps(self) -> int | None:
        """Steps per frame that are needed: doubled until stable, then bisected."""
        steps = 1
        while not self.is_stable(steps):
            say(f"{steps} steps per frame: unstable")
            steps *= 2
            if steps > MOST_STEPS_PER_FRAME:
                return None
        bad = steps // 2
        while steps - bad > 1:
            middle = (steps + bad) // 2
            if self.is_stable(middle):
                steps = middle
            else:
                bad = middle
        return steps

    def seconds_per_frame(self, steps: int) -> float:
        """The least of several frames while it swings."""
        self.tree.reset()
        times = []
        for _ in range(10):
            start = time.perf_counter()
            self.tree.step(FRAME / steps, steps)
            times.append(time.perf_counter() - start)
        return min(times)

    def result(self, name: str) -> dict:
        """Name, steps per frame and seconds per frame; none of these if it is never stable."""
        steps = self.fewest_steps()
        seconds = steps and self.seconds_per_frame(steps)
        say(f"{name}: {steps} steps per frame, {seconds} s")
        return {"name": name, "steps": steps, "seconds": seconds, "why": None if steps else f"not stable in {MOST_STEPS_PER_FRAME} steps"}


def displacement(now: np.ndarray, start: np.ndarray) -> float:
    return float(np.max(np.linalg.norm(now - start, axis=1)))


def farthest(model) -> float:
    """How far a joint may be from where it began while the tree is said to be stable, m."""
    given = model.joints()
    try:
        model.settle()
    except RuntimeError as why:
        # Leaves that hang on soft stalks turn over, which is too much for that method. What diverges leaves any bound.
        say(f"{why}: it may swing as far as it is large")
        return float(np.max(np.ptp(given, axis=0)))
    # A load that comes at once makes a tree swing to twice its sag, whatever the damping.
    return 3.0 * displacement(model.joints(), given)


def main(file: Path) -> None:
    import mujoco
    from model import Model

    say(f"MuJoCo loads {file.name}, which takes minutes if it is large ...")
    start = time.perf_counter()
    model = Model(file)
    load = time.perf_counter() - start
    say(f"loaded in {load:.0f} s")
    most = farthest(model)
    results = []
    for name in INTEGRATORS:
        model.model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{name}")
        results.append(Trial(model, most).result(f"MuJoCo {mujoco.__version__}, {name.lower()}"))
    results.append(by_pinocchio(file, len(model.body), most))
    print(json.dumps({"load_seconds": load, "engines": results}))


def by_pinocchio(file: Path, bodies: int, most: float) -> dict:
    import pinocchio
    from pinocchio_tree import PinocchioTree

    tree = PinocchioTree(file)
    share = tree.model.njoints - 1
    name = f"Pinocchio {pinocchio.__version__}"
    result = Trial(tree, most).result(f"{name}, {share} bodies" if share < bodies else name)
    if result["seconds"] and share < bodies:
        # It cannot hold more. Its time grows with the number of bodies, as that of the articulated-body algorithm does.
        result["name"] = f"{name}, {share} of the bodies × {bodies / share:.1f}"
        result["seconds"] *= bodies / share
    return result


if __name__ == "__main__":
    main(Path(sys.argv[1]))
