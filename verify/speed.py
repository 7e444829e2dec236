"""How long a frame takes to compute in both engines, on the same tree in the same run.

MuJoCo is given the largest step with which it stays stable, by each of its integrators that could be the fastest: `euler` and `implicitfast`
take dampers implicitly, `discrete` also springs. Its `implicit` and `RK4` have the stability of `implicitfast` or less and cost
several times as much per step.

Run as a program, this file is MuJoCo's part; it takes minutes to load a large model, and so it can be stopped.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import mujoco
import numpy as np

import report
from model import Model
from program import Program, Tree

LEAST_RATIO = 25.0
LIMIT_SECONDS = 3600  # for MuJoCo, loading included
FRAME = 1.0 / 30.0  # s
MOST_STEPS_PER_FRAME = 256
SWAY = [3.0, -9.81, 0.0]  # m/s²: gravity that the tree did not grow in, so that it moves
INTEGRATORS = ["EULER", "IMPLICITFAST", "DISCRETE"]
REPEATS = 3
OUR_STEPS = [1, 2]  # per frame: the largest stable step of the coupled solver, and its default, which is judged


def compare(program: Program, tree: Tree) -> tuple[str, list[str]]:
    """The table and what is wrong."""
    moving = tree.changed(f"environment.gravity={SWAY}")

    def ours() -> list[list[float]]:
        # In turn, so that both meet the same disturbances.
        return [[program.seconds_per_frame(moving, steps, 60) for steps in OUR_STEPS] for _ in range(REPEATS)]

    times = ours()
    theirs = timed_by_mujoco(program.export(moving, "speed", "--no-shapes"))
    seconds = np.min(times + ours(), axis=0)  # before and after, in case the machine was busy
    rows = [["Treesway, coupled", str(steps), f"{1000 * s:.2f}", "", ""] for steps, s in zip(OUR_STEPS, seconds)]
    ratios = []
    for name, found in theirs["integrators"].items():
        if found is None:
            rows.append([f"MuJoCo, {name.lower()}", f"> {MOST_STEPS_PER_FRAME}", "", "", ""])
            continue
        ratios.append(found["seconds"] / seconds)
        cells = [f"{ratio:.1f} ×" for ratio in ratios[-1]]
        rows.append([f"MuJoCo, {name.lower()}", str(found["steps"]), f"{1000 * found['seconds']:.1f}", *cells])
    head = ["engine", "steps per frame", "ms per frame", "Treesway in one step is faster", "in two"]
    text = (
        f"{report.table(head, rows)}\n\n"
        f"{tree.name}, frames of 1/30 s; MuJoCo {mujoco.__version__} at its largest stable step; loading took it {theirs['load_seconds']:.0f} s."
    )
    # Our default steps against MuJoCo at its largest stable step with its fastest integrator.
    least = min((r[-1] for r in ratios), default=np.inf)
    failures = [] if least >= LEAST_RATIO else [f"Treesway is {least:.1f} × as fast as MuJoCo; at least {LEAST_RATIO:g} × is required"]
    return text, failures


def timed_by_mujoco(model: Path) -> dict:
    """Runs this file as a program, which can be stopped."""
    command = [sys.executable, __file__, str(model)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=LIMIT_SECONDS, check=True)
    return json.loads(done.stdout)


def say(text: str) -> None:
    print(f"MuJoCo: {text}", file=sys.stderr, flush=True)


class Trial:
    """A loaded model that is run with different steps."""

    def __init__(self, model: Model):
        self.tree = model
        self.start = model.joints()
        model.settle()
        # A load that comes at once makes a tree swing to twice its sag, whatever the damping.
        self.most = 3.0 * self._displacement()

    def _displacement(self) -> float:
        return float(np.max(np.linalg.norm(self.tree.joints() - self.start, axis=1)))

    def is_stable(self, steps: int, seconds: float = 1.0) -> bool:
        """Whether it swings within bounds and without a warning."""
        self.tree.reset()
        self.tree.model.opt.timestep = FRAME / steps
        for _ in range(round(seconds / FRAME)):
            mujoco.mj_step(self.tree.model, self.tree.data, steps)
            if self.tree.warnings() or not self._displacement() <= self.most:
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
        self.tree.model.opt.timestep = FRAME / steps
        times = []
        for _ in range(10):
            start = time.perf_counter()
            mujoco.mj_step(self.tree.model, self.tree.data, steps)
            times.append(time.perf_counter() - start)
        return min(times)


def main(file: str) -> None:
    say(f"loads {Path(file).name}, which takes minutes ...")
    start = time.perf_counter()
    model = Model(Path(file))
    result = {"load_seconds": time.perf_counter() - start, "integrators": {}}
    say(f"loaded in {result['load_seconds']:.0f} s")
    trial = Trial(model)
    for name in INTEGRATORS:
        model.model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{name}")
        steps = trial.fewest_steps()
        found = steps and {"steps": steps, "seconds": trial.seconds_per_frame(steps)}
        result["integrators"][name] = found
        say(f"{name.lower()}: {found}")
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1])
