"""Compares Treesway with MuJoCo on the same trees and fails where they differ by more than they may.

Run by `cargo xtask verify`, which sets up the environment and builds the program.
"""

import argparse
import platform
import sys
from pathlib import Path

import mujoco

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "crates/treesway-cli/peers"))  # model

import conifers
import frames
import report
import results
import solvers
import speed
from compare import FREE_PERIODS, STEPS_PER_PERIOD, Result, compare
from program import Program, Tree

# Largest relative differences.
MOST_SAG = 0.001
MOST_MODES = 0.01
MOST_PATH = 0.05

BROADLEAF = str(HERE / "broadleaf.toml")
SMALL = [
    Tree("cantilever", "cantilever"),
    Tree("fork", "fork"),
    Tree("broadleaf-200", BROADLEAF, ("bodies=200",)),
]
LARGE = [Tree("broadleaf-1000", BROADLEAF, ("bodies=1000",))]

# G/E with which the three springs of a round joint are equal (twist G·2I = bending E·I): a ball joint of MuJoCo.
EQUAL_SPRINGS = "tree.params.wood.shear_ratio=0.5"


def both_joints(tree: Tree) -> list[Tree]:
    """The tree as it is, with joints that MuJoCo has as three hinges, and with equal springs, which it has as balls."""
    balls = tree.changed(EQUAL_SPRINGS)
    return [tree, Tree(f"{tree.name}, balls", balls.scene, balls.settings)]


def broken(result: Result) -> list[str]:
    bounds = [("sag", result.sag, MOST_SAG), ("modes", result.modes, MOST_MODES), ("path", result.path, MOST_PATH)]
    return [f"{result.tree.name}: {name} differs by {100 * x:.3f} %, more than {100 * most:g} %" for name, x, most in bounds if not x <= most]


def agreement(program: Program, trees: list[Tree]) -> tuple[str, list[str]]:
    """The table and what is wrong."""
    rows, failures = [], []
    for tree in (variant for tree in trees for variant in both_joints(tree)):
        print(f"{tree.name} ...", file=sys.stderr, flush=True)
        result = compare(program, tree)
        failures += broken(result)
        rows.append(
            [
                tree.name,
                str(result.bodies),
                " ".join(f"{f:.3f}" for f in result.frequencies),
                percent(result.modes),
                f"{1000 * result.sag_metres:.2f}",
                percent(result.sag),
                f"{1000 * result.amplitude_metres:.0f}",
                percent(result.path),
            ]
        )
    head = ["tree", "bodies", "modes, Hz", "differ by", "sag, mm", "differs by", "swing, mm", "path differs by"]
    bounds = ["at most", "", "", percent(MOST_MODES), "", percent(MOST_SAG), "", percent(MOST_PATH)]
    notes = (
        f"MuJoCo {mujoco.__version__}, integrator implicitfast; both engines at {STEPS_PER_PERIOD} steps per period of the first mode; "
        f"path over {FREE_PERIODS} such periods after the release."
    )
    return f"{report.table(head, rows + [bounds])}\n\n{notes}", failures


def percent(x: float) -> str:
    return f"{100 * x:.2g} %" if x >= 1e-5 else "< 0.001 %"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="the treesway binary")
    parser.add_argument("--folder", type=Path, required=True, help="where models and runs go")
    parser.add_argument("--small", action="store_true", help="leave out the tree of 1000 bodies")
    parser.add_argument("--speed", action="store_true", help="compare speed instead, on a tree of 10000 bodies; takes long to load in MuJoCo")
    parser.add_argument("--solvers", action="store_true", help="compare our solvers with beam theory and with each other instead")
    parser.add_argument("--conifers", action="store_true", help="print first modes of grown conifers beside measured ones instead")
    parser.add_argument("--frames", action="store_true", help="only compare the sway of imported trees with beam frames")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table into a document")
    arguments = parser.parse_args()
    program = Program(arguments.program, arguments.folder)
    if arguments.speed:
        command = "cargo xtask verify --speed --write"
        text, failures = speed.compare(program, Tree("broadleaf-10000", BROADLEAF, ("bodies=10000",)))
        text += f"\n\n{processor()}"
    elif arguments.solvers:
        command = "cargo xtask verify --solvers --write"
        text, failures = solvers.compare(program)
        text += f"\n\n{processor()}"
    elif arguments.conifers:
        command = "cargo xtask verify --conifers --write"
        text, failures = conifers.compare(program)
    elif arguments.frames:
        command = "cargo xtask verify --frames --write"
        text, failures = frames.compare(program, arguments.small)
        if arguments.write and (arguments.small or not frames.present()):
            raise SystemExit("the table needs all trees; expected the scans of Wytham Woods and no --small")
    else:
        command = "cargo xtask verify --write"
        text, failures = agreement(program, SMALL if arguments.small else SMALL + LARGE)
        failures += results.check(program)
        sway, wrong = frames.compare(program, arguments.small)
        print(sway)
        failures += wrong
    print(text)
    for failure in failures:
        print(f"BROKEN  {failure}")
    if arguments.write:
        report.put(arguments.write, command, text)
    return 1 if failures else 0


def processor() -> str:
    """What the times were taken on."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor() or platform.machine()
    return f"Processor: {name}, one thread each."


if __name__ == "__main__":
    sys.exit(main())
