"""The program `treesway`, asked the same questions as MuJoCo."""

import csv
import io
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Tree:
    """A scene with changes, as the program takes them."""

    name: str
    scene: str
    settings: tuple[str, ...] = ()

    def changed(self, *settings: str) -> "Tree":
        return Tree(self.name, self.scene, self.settings + settings)


class Program:
    """The program and a folder for what it writes."""

    def __init__(self, binary: Path, folder: Path):
        self.binary = binary
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def text(self, *arguments: str) -> str:
        """What the program prints."""
        done = subprocess.run([self.binary, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"treesway {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    @staticmethod
    def _scene(tree: Tree) -> list[str]:
        changes = [word for setting in tree.settings for word in ("--set", setting)]
        return [tree.scene, "--solver", "coupled", *changes]

    def export(self, tree: Tree, what: str, *options: str) -> Path:
        """Writes the tree as MJCF; `what` becomes part of the file's name."""
        output = self.folder / f"{tree.name}-{what}.xml"
        self.text("export", *self._scene(tree), "-o", str(output), *options)
        return output

    def frequencies(self, tree: Tree, count: int) -> np.ndarray:
        """The slowest sways, Hz."""
        text = self.text("info", *self._scene(tree), "--json", "--modes", str(count))
        return np.array([mode["frequency_hz"] for mode in json.loads(text)["modes"]])

    def simulate(self, tree: Tree, what: str, step: float, steps: int, every: int) -> dict:
        """Arrays of a run of `steps` steps of `step` s, every `every`-th of them kept."""
        output = self.folder / f"{tree.name}-{what}.npz"
        run = ["--fps", repr(1.0 / step), "--frames", str(steps), "--every", str(every)]
        one = tree.changed("tree.substeps=1")
        self.text("simulate", *self._scene(one), "-o", str(output), "--threads", "1", *run)
        with np.load(output) as arrays:
            return {name: arrays[name] for name in arrays.files}

    def seconds_per_frame(self, tree: Tree, substeps: int, frames: int) -> float:
        """Time to compute a frame of 1/30 s in that many steps on one thread, s."""
        run = ["--steps", str(frames), "--threads", "1", "--csv"]
        scene, *changes = self._scene(tree.changed(f"tree.substeps={substeps}"))
        text = self.text("bench", "--scene", scene, *changes, *run)
        total = next(row for row in csv.DictReader(io.StringIO(text)) if row["stage"] == "total")
        return float(total["ns_per_body"]) * 1e-9 * int(total["bodies"]) * substeps
