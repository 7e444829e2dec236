"""How long a frame takes to compute in other engines, on the same tree in the same run (`treesway bench --peers`)."""

import csv
import io

import report
from program import Program, Tree

LEAST_RATIO = 25.0


def compare(program: Program, tree: Tree) -> tuple[str, list[str]]:
    """The table and what is wrong."""
    changes = [word for setting in tree.settings for word in ("--set", setting)]
    environment = program.folder / "peers"
    said = program.text("bench", "--scene", tree.scene, "--solver", "coupled", *changes, f"--peers={environment}", "--csv")
    rows = list(csv.DictReader(io.StringIO(said.split("\n\n")[1])))
    shown = [[row["engine"], row["steps_per_frame"], milliseconds(row), row["ratio"]] for row in rows]
    text = report.table(["engine", "steps per frame", "ms per frame", "times Treesway's"], shown)
    text += f"\n\n{tree.name}, frames of 1/30 s, each engine at its largest stable step."
    # Our default steps against MuJoCo with its fastest integrator.
    least = min(float(row["ratio"]) for row in rows if row["engine"].startswith("MuJoCo") and row["ratio"])
    failures = [] if least >= LEAST_RATIO else [f"Treesway is {least:.1f} × as fast as MuJoCo; at least {LEAST_RATIO:g} × is required"]
    return text, failures


def milliseconds(row: dict) -> str:
    return f"{1000 * float(row['seconds_per_frame']):.2f}" if row["seconds_per_frame"] else ""
