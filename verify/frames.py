"""Sway of imported trees against a beam frame of the same skeleton, and beside it what was measured on the trees.

The skeleton is read back from the file that `treesway import` writes; what the frame and Treesway share is that file alone.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import beam_frame
import report
from beam_frame import SHEAR_RATIO, Wood
from program import Program, Tree

HERE = Path(__file__).parent
SMALL = HERE.parent / "crates/treesway-io/tests/data/wytham.csv"
# Scans of others, which are no part of this repository.
WYTHAM = HERE.parent.parent / "shared/data/wytham"

MODES = 3
# Largest relative difference of any of them.
MOST = 0.03
# Largest element of the frame, m, and a half of it to show that it is fine enough.
ELEMENT = 0.1
MOST_REFINED = 1e-4


@dataclass(frozen=True)
class Scan:
    """A scan with its wood; the frequencies that others computed (children attached at their parents' tips) and measured, Hz."""

    name: str
    file: Path
    wood: Wood
    published: str = ""
    measured: str = ""


OWN = Scan("small scan of our own", SMALL, Wood(8.4e9, 721.0))
SCANS = [
    Scan("Tf3, sycamore", WYTHAM / "Tf3.csv", Wood(8.4e9, 721.0), "0.2254 0.2270 0.3969", "0.226 in leaf, 0.288 bare"),
    Scan("Tf12, ash", WYTHAM / "Tf12.csv", Wood(9.5e9, 801.0), "0.1974 0.2001 0.4630", "0.200"),
    Scan("Tf16, sycamore", WYTHAM / "Tf16.csv", Wood(8.4e9, 721.0), "0.2637 0.2683 0.3284", "0.25 in leaf"),
]


def present() -> bool:
    return all(scan.file.is_file() for scan in SCANS)


def compare(program: Program, small: bool) -> tuple[str, list[str]]:
    """The table and what is wrong; the small scan alone, or with those of Wytham where they are."""
    rows, failures = [], []
    scans = [OWN] if small else [OWN, *(s for s in SCANS if s.file.is_file())]
    for scan in scans:
        saved = program.folder / f"{scan.file.stem}-skeleton.npz"
        program.text("import", str(scan.file), "-o", str(saved))
        branches = beam_frame.read(saved)
        frame = beam_frame.frequencies(branches, scan.wood, MODES, ELEMENT)
        finer = beam_frame.frequencies(branches, scan.wood, MODES, ELEMENT / 2)
        ours = program.frequencies(tree_of(scan, saved), MODES)
        differ = float(np.max(np.abs(ours / frame - 1)))
        if not differ <= MOST:
            failures.append(f"{scan.name}: modes differ from the beam frame's by {100 * differ:.2f} %, more than {100 * MOST:g} %")
        if not np.max(np.abs(finer / frame - 1)) <= MOST_REFINED:
            failures.append(f"{scan.name}: the beam frame is too coarse to compare with")
        rows.append([scan.name, digits(ours), digits(frame), f"{100 * differ:.2f} %", scan.published, scan.measured])
    bound = ["at most", "", "", f"{100 * MOST:g} %", "", ""]
    head = ["tree", "Treesway, Hz", "beam frame, Hz", "differ by", "published FE, Hz", "measured, Hz"]
    if not (small or present()):
        print("The scans of Wytham Woods are not there and were left out: expected them in ../shared/data/wytham beside this repository.")
    return report.table(head, [*rows, bound]), failures


def tree_of(scan: Scan, saved: Path) -> Tree:
    wood = {"youngs_modulus": scan.wood.modulus, "density": scan.wood.density, "shear_ratio": SHEAR_RATIO}
    return Tree(scan.name, str(saved), tuple(f"tree.params.wood.{key}={value!r}" for key, value in wood.items()))


def digits(frequencies: np.ndarray) -> str:
    return " ".join(f"{f:.4f}" for f in frequencies)
