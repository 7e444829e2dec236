"""First modes of grown conifers beside those measured on standing ones."""

import json

import report
from program import Program

BODIES = 10_000
# f = 0.096 + slope·DBH/H², DBH in cm, H in m: 212 spruces and Douglas firs (R² 0.85), and pines.
SLOPES = {"spruce": 3.40, "pine": 2.64}
SIZES = [(10.0, 0.13), (15.0, 0.20), (20.0, 0.25), (25.0, 0.32), (30.0, 0.40)]  # height and DBH, m


def compare(program: Program) -> tuple[str, list[str]]:
    """The table; measured trees scatter too much to fail by."""
    rows = []
    for species, slope in SLOPES.items():
        for height, dbh in SIZES:
            frequencies = []
            for seed in (1, 2, 3):
                sets = [f"height={height}", f"dbh={dbh}", f"bodies={BODIES}"]
                arguments = [word for change in sets for word in ("--set", change)]
                said = json.loads(program.text("info", species, *arguments, "--seed", str(seed), "--modes", "1", "--json"))
                frequencies.append(said["modes"][0]["frequency_hz"])
            measured = 0.096 + slope * 100.0 * dbh / height**2
            mean = sum(frequencies) / len(frequencies)
            rows.append([species, f"{height:g}", f"{100 * dbh:g}", f"{mean:.3f}", f"{measured:.3f}", f"{100 * (mean / measured - 1):+.0f} %"])
    return report.table(["species", "height, m", "DBH, cm", "grown, Hz", "measured, Hz", "differs by"], rows), []
