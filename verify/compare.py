"""The same tree in Treesway and in MuJoCo: rest under gravity, modes, and the path of a point that is pulled and let go."""

from dataclasses import dataclass

import numpy as np

from model import Model, Pull
from program import Program, Tree

MODES = 3
STEPS_PER_PERIOD = 400  # of the first mode, in both engines
KEPT_PER_PERIOD = 40
PULLED_PERIODS = 1  # how long the hand holds the tree
FREE_PERIODS = 2  # how long it is watched after that
HAND = 200.0  # N: how strongly a person pulls; a stronger jerk turns leaves right round


@dataclass(frozen=True)
class Result:
    """Relative differences."""

    tree: Tree
    bodies: int
    frequencies: np.ndarray  # Hz, of Treesway
    sag_metres: float
    sag: float
    modes: float
    amplitude_metres: float
    path: float


def compare(program: Program, tree: Tree) -> Result:
    # MuJoCo has no least damping, and its steps are too small to need one.
    tree = tree.changed("tree.settings.least_damping_ratio=0.0", "tree.load=[]")
    ours = program.frequencies(tree, MODES)
    first_hz = float(ours[0])
    still = Model(program.export(tree.changed('tree.params.gravity_pose="unloaded"'), "unloaded"))
    theirs = still.frequencies(MODES)
    sag_metres, sag = compare_sag(program, tree, still, first_hz)
    amplitude, path = compare_path(program, tree, first_hz)
    return Result(
        tree=tree,
        bodies=len(still.body),
        frequencies=ours,
        sag_metres=sag_metres,
        sag=sag,
        modes=float(np.max(np.abs(ours / theirs - 1.0))),
        amplitude_metres=amplitude,
        path=path,
    )


def compare_sag(program: Program, tree: Tree, still: Model, first_hz: float) -> tuple[float, float]:
    """Largest sag of a joint, m, and the largest difference of all joints relative to it."""
    start = still.joints()
    still.settle()
    # Critically damped; what is faster creeps back at half the first mode's angular frequency.
    settings = 'tree.params.gravity_pose="unloaded"', "tree.params.damping_ratio={zeta=1.0}"
    step = 1.0 / 60.0
    steps = int(12.0 / first_hz / step)
    run = program.simulate(tree.changed(*settings), "sag", step, steps, steps)
    sag = np.max(np.linalg.norm(still.joints() - start, axis=1))
    apart = np.max(np.linalg.norm(still.joints() - run["joint_position"][-1], axis=1))
    return float(sag), float(apart / sag)


def compare_path(program: Program, tree: Tree, first_hz: float) -> tuple[float, float]:
    """Amplitude after the release, m, and the largest distance between both paths relative to it."""
    model = Model(program.export(tree, "given"))
    step = 1.0 / (first_hz * STEPS_PER_PERIOD)
    every = STEPS_PER_PERIOD // KEPT_PER_PERIOD
    steps = STEPS_PER_PERIOD * (PULLED_PERIODS + FREE_PERIODS)
    pull = sideways_pull(program, tree, model, STEPS_PER_PERIOD * PULLED_PERIODS)

    table = (
        f"tree.pull=[{{body={pull.body},point={pull.in_body.tolist()},target={pull.target.tolist()},"
        f"stiffness={pull.stiffness!r},stop={pull.steps * step!r}}}]"
    )
    moving = tree.changed("tree.settings.velocity_products=true", table)
    run = program.simulate(moving, "path", step, steps, every)
    ours = points(run, pull)
    theirs = model.pulled(pull, step, steps, every)
    if model.warnings():
        raise RuntimeError(f"{tree.name}: MuJoCo warned of {model.warnings()}")

    model.reset()
    model.settle()
    rest = model.point(pull.body, pull.in_body)
    free = slice(KEPT_PER_PERIOD * PULLED_PERIODS, None)
    amplitude = np.max(np.linalg.norm(theirs[free] - rest, axis=1))
    apart = np.max(np.linalg.norm(ours[free] - theirs[free], axis=1))
    return float(amplitude), float(apart / amplitude)


def sideways_pull(program: Program, tree: Tree, model: Model, steps: int) -> Pull:
    """A hand at the tip of the trunk, as stiff as the tree is there, up to a fifth of the trunk's reach to the side."""
    given = program.simulate(tree, "given", 1.0 / 60.0, 0, 1)
    trunk = np.flatnonzero((given["branch"] == 0) & (given["kind"] == 0))
    body = int(trunk[-1])
    in_body = np.array([0.0, 0.0, float(given["length"][body])])
    place = model.point(body, in_body)
    reach = place - given["joint_position"][0, 0]
    # Across the trunk, in no plane of symmetry.
    across = np.cross(reach, [0.3, 0.5, 0.8])
    across /= np.linalg.norm(across)
    compliance = model.compliance(body, in_body, across)
    # Two springs in a row: the tree gives way by half.
    offset = min(0.2 * np.linalg.norm(reach), 2.0 * HAND * compliance)
    return Pull(body, in_body, place + offset * across, 1.0 / compliance, steps)


def points(run: dict, pull: Pull) -> np.ndarray:
    """Path of the pulled point in a run of Treesway, m."""
    turn = run["rotation"][:, pull.body].astype(float)  # x, y, z, w
    vector, scalar = turn[:, :3], turn[:, 3:]
    once = 2.0 * np.cross(vector, pull.in_body)
    return run["joint_position"][:, pull.body] + pull.in_body + scalar * once + np.cross(vector, once)
