"""Treesway's solvers against beam theory, against each other, and what a step of each costs."""

import csv
import io
from math import pi, sqrt, tau

import numpy as np

import report
from program import Program

LENGTH, BASE = 4.0, 0.04  # m
MODULUS, DENSITY, GRAVITY = 8e9, 800.0, 9.81
STIFFER = 100.0  # so that the linear theory holds for the sag
SEGMENTS = [10, 20, 40]
MOST_MODE = 0.02  # of the first mode; the swing over many periods is bounded in crates/treesway/tests/coupled/beam.rs
MOST_COST = {10_000: 1.5, 1_000_000: 2.0}  # of a coupled step over an analytic one


def compare(program: Program) -> tuple[str, list[str]]:
    """The tables and what is wrong."""
    beams, failures = against_theory(program)
    costs, too_dear = costs_of_a_step(program)
    each_other = program.text("compare", "fig14-sag", "--solvers", "analytic,calibrated,coupled,explicit,reference")
    parts = [
        "A wooden cantilever of 4 m and n segments, base 4 cm, against Euler and Bernoulli:",
        beams,
        "The paper's Fig. 14, a branch at a tenth of wood's stiffness and at all of it (`treesway compare fig14-sag`):",
        f"```\n{each_other.rstrip()}\n```",
        "A step of the coupled solver over one of the analytic one, in turn in one run on one thread (`treesway bench --against analytic`):",
        costs,
    ]
    return "\n\n".join(parts), failures + too_dear


def against_theory(program: Program) -> tuple[str, list[str]]:
    rows, failures = [], []
    for tip, omega in [(BASE, 1.8751**2 * wave() * BASE / 2), (BASE / 4, 23.289 * wave() * BASE / 8)]:
        for n in SEGMENTS:
            changes = [f"segments={n}", f"tip_radius={tip}"]
            sag = solvers(program, [*changes, f"tree.params.multipliers.branch_stiffness={STIFFER}"])["coupled"]["sag_m"]
            swing = solvers(program, [*changes, "tree.params.wood.damping_beta=0.0"])
            mode = program.text("info", "cantilever", *sets(changes), "--modes", "1", "--json")
            mode_hz = float(mode.split('"frequency_hz":')[1].split(",")[0])
            off = [
                (sag / (static_sag(tip) / STIFFER) - 1.0) * n * n,
                mode_hz * tau / omega - 1.0,
                swing["coupled"]["frequency_hz"] * tau / omega - 1.0,
                swing["analytic"]["frequency_hz"] * tau / omega - 1.0,
            ]
            if abs(off[0]) > 1.1 or abs(off[1]) > MOST_MODE:
                failures.append(f"cantilever of {n} segments, tip {tip} m: {off}")
            rows.append([f"{100 * tip:g} cm", str(n), f"{off[0]:+.2f}/n²", *(f"{100 * x:+.2f} %" for x in off[1:])])
    head = ["tip", "n", "sag", "first mode", "first swing, coupled", "first swing, analytic"]
    return report.table(head, rows), failures


def wave() -> float:
    """√(E/ρ)/L², 1/(m·s)."""
    return sqrt(MODULUS / DENSITY) / LENGTH**2


def static_sag(tip: float) -> float:
    """Of the tip under the beam's own weight, m, by quadrature."""
    x = (np.arange(200_000) + 0.5) * LENGTH / 200_000
    dx = x[1] - x[0]
    r = BASE + (tip - BASE) * x / LENGTH
    weight = DENSITY * pi * r**2 * GRAVITY * dx
    beyond = np.cumsum(weight[::-1])[::-1]
    moment = np.cumsum((weight * x)[::-1])[::-1] - x * beyond
    return float(np.sum(moment * (LENGTH - x) / (MODULUS * pi * r**4 / 4) * dx))


def solvers(program: Program, changes: list[str]) -> dict:
    text = program.text("compare", "cantilever", *sets(changes), "--solvers", "analytic,coupled", "--csv")
    rows = csv.DictReader(io.StringIO(text))
    return {row["solver"]: {name: float(row[name]) for name in ("sag_m", "frequency_hz")} for row in rows}


def costs_of_a_step(program: Program) -> tuple[str, list[str]]:
    rows, failures = [], []
    for bodies, most in MOST_COST.items():
        steps = str(max(2_000_000 // bodies, 4))
        run = ["--scene", "oak", "--bodies", str(bodies), "--steps", steps, "--threads", "1"]
        ratios = []
        for _ in range(3):
            said = program.text("bench", *run, "--solver", "coupled", "--against", "analytic")
            ratios.append(float(said.split("a step costs ")[1].split()[0]))
        middle = sorted(ratios)[1]
        if middle > most:
            failures.append(f"a coupled step costs {middle} analytic ones at {bodies} bodies; at most {most} are allowed")
        rows.append([str(bodies), f"{middle:.2f}", f"{most:g}"])
    return report.table(["bodies", "ratio, median of 3", "at most"], rows), failures


def sets(changes: list[str]) -> list[str]:
    return [word for change in changes for word in ("--set", change)]
