"""Sway of a skeleton as a frame of Euler-Bernoulli beams: finite elements that share nothing with Treesway but the file.

Each piece of wood between two nodes of a branch is one or more straight beam elements of 12 degrees of freedom with consistent
mass (Przemieniecki, Theory of Matrix Structural Analysis, 1968, sections 5.6 and 11.4). A branch begins at the end of a rigid link
without mass from the point of its parent's axis on which it hangs. The base of the trunk is clamped; there is no gravity.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import eigsh

# G/E of an isotropic beam with Poisson's ratio 0.38.
SHEAR_RATIO = 1 / 2.76

# What hangs this near to a node hangs on it, m: the stiffness of shorter elements (EI/l^3) drowns the tree's in rounding errors.
SHORTEST = 0.005


@dataclass(frozen=True)
class Wood:
    """Young's modulus in Pa and density in kg/m3."""

    modulus: float
    density: float


@dataclass
class Branch:
    """A polyline with the radius at both ends of each of its pieces."""

    points: np.ndarray
    radii: np.ndarray
    parent: int
    along: float

    def __post_init__(self) -> None:
        steps = np.linalg.norm(np.diff(self.points, axis=0), axis=1)
        self.arcs = np.concatenate([[0.0], np.cumsum(steps)])


def read(path: Path) -> list[Branch]:
    """The branches of a skeleton file."""
    with np.load(path) as file:
        ends = np.cumsum(file["branch_nodes"])
        positions, radius = file["node_position"].astype(float), file["node_radius"].astype(float)
        branches = []
        for b, end in enumerate(ends):
            own = slice(end - file["branch_nodes"][b], end)
            r = radius[own]
            tip = r[:-1] if file["branch_stepped"][b] else r[1:]
            branches.append(
                Branch(positions[own], np.column_stack([r[:-1], tip]), int(file["branch_parent"][b]), float(file["branch_along"][b]))
            )
        return branches


def frequencies(branches: list[Branch], wood: Wood, count: int, longest: float) -> np.ndarray:
    """The slowest sways, Hz, with elements of at most `longest` metres."""
    stiffness, mass = _assemble(branches, wood, longest)
    # About zero: the slowest. The start is fixed, so that the same file gives the same digits.
    squares = eigsh(stiffness, k=count, M=mass, sigma=0.0, v0=np.ones(stiffness.shape[0]), return_eigenvectors=False)
    return np.sqrt(np.sort(squares)) / (2 * np.pi)


def _cuts(branch: Branch, hanging: list[float], longest: float) -> np.ndarray:
    """Arc lengths of the frame's nodes along a branch: its own, where others hang, and between."""
    fixed = list(branch.arcs)
    for at in np.clip(hanging, 0.0, branch.arcs[-1]):
        if np.min(np.abs(np.array(fixed) - at)) > SHORTEST:
            fixed.append(at)
    fixed = np.sort(fixed)
    between = [np.linspace(a, b, max(1, int(np.ceil((b - a) / longest))) + 1)[:-1] for a, b in zip(fixed, fixed[1:])]
    return np.concatenate([*between, fixed[-1:]])


def _order(branches: list[Branch]) -> list[int]:
    """Branches, each after its parent."""
    children: dict[int, list[int]] = {}
    for b, branch in enumerate(branches):
        children.setdefault(branch.parent, []).append(b)
    order = list(children[-1])
    for b in order:
        order += children.get(b, [])
    return order


def _assemble(branches: list[Branch], wood: Wood, longest: float):
    hanging: list[list[float]] = [[] for _ in branches]
    for branch in branches:
        if branch.parent >= 0:
            hanging[branch.parent].append(branch.along)
    # Of each branch: arc lengths of its nodes, and (master, lever) of each: u = u_m + theta_m x lever, theta = theta_m.
    arcs: list[np.ndarray] = [np.empty(0)] * len(branches)
    nodes: list[list[tuple[int, np.ndarray]]] = [[] for _ in branches]
    masters = 0
    entries: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for b in _order(branches):
        branch = branches[b]
        arcs[b] = _cuts(branch, hanging[b], longest)
        points = np.column_stack([np.interp(arcs[b], branch.arcs, branch.points[:, i]) for i in range(3)])
        if branch.parent < 0:
            first = (-1, np.zeros(3))
        else:
            parent = branches[branch.parent]
            k = int(np.argmin(np.abs(arcs[branch.parent] - branch.along)))
            at = np.array([np.interp(arcs[branch.parent][k], parent.arcs, parent.points[:, i]) for i in range(3)])
            master, lever = nodes[branch.parent][k]
            first = (master, lever + points[0] - at)
        nodes[b] = [first] + [(masters + i, np.zeros(3)) for i in range(len(points) - 1)]
        masters += len(points) - 1
        for i in range(len(points) - 1):
            middle = 0.5 * (arcs[b][i] + arcs[b][i + 1])
            piece = int(np.clip(np.searchsorted(branch.arcs, middle) - 1, 0, len(branch.radii) - 1))
            share = (middle - branch.arcs[piece]) / (branch.arcs[piece + 1] - branch.arcs[piece])
            radius = (1 - share) * branch.radii[piece, 0] + share * branch.radii[piece, 1]
            entries.append(_element(points[i], points[i + 1], radius, wood, nodes[b][i], nodes[b][i + 1]))
    size = 6 * masters
    dofs = np.concatenate([np.repeat(e[0], 12) for e in entries]), np.concatenate([np.tile(e[0], 12) for e in entries])
    # The ground is master -1 and does not move.
    free = (dofs[0] >= 0) & (dofs[1] >= 0)

    def sparse(which: int):
        values = np.concatenate([e[which].ravel() for e in entries])
        return coo_matrix((values[free], (dofs[0][free], dofs[1][free])), shape=(size, size)).tocsc()

    return sparse(1), sparse(2)


def _element(a: np.ndarray, b: np.ndarray, radius: float, wood: Wood, from_node, to_node):
    """Numbers of the masters' degrees of freedom, stiffness and mass of a beam between two nodes."""
    length = float(np.linalg.norm(b - a))
    k, m = _local(length, radius, wood)
    x = (b - a) / length
    helper = np.eye(3)[np.argmin(np.abs(x))]
    y = np.cross(helper, x)
    y /= np.linalg.norm(y)
    turn = np.kron(np.eye(4), np.array([x, y, np.cross(x, y)]))
    carry = np.zeros((12, 12))
    carry[:6, :6], carry[6:, 6:] = _lever(from_node[1]), _lever(to_node[1])
    local_from_master = turn @ carry
    dofs = np.concatenate([6 * node[0] + np.arange(6) if node[0] >= 0 else np.full(6, -1) for node in (from_node, to_node)])
    return dofs, local_from_master.T @ k @ local_from_master, local_from_master.T @ m @ local_from_master


def _lever(d: np.ndarray) -> np.ndarray:
    """u = u_m + theta_m x d."""
    move = np.eye(6)
    move[:3, 3:] = [[0, d[2], -d[1]], [-d[2], 0, d[0]], [d[1], -d[0], 0]]
    return move


def _local(length: float, radius: float, wood: Wood) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and consistent mass along x; u, v, w and rotations about x, y, z at both ends."""
    area = np.pi * radius**2
    bending = wood.modulus * np.pi * radius**4 / 4
    torsion = wood.modulus * SHEAR_RATIO * np.pi * radius**4 / 2
    k, m = np.zeros((12, 12)), np.zeros((12, 12))
    rod = np.array([[1, -1], [-1, 1]]) / length
    linear = np.array([[2, 1], [1, 2]]) * length / 6
    for dofs, stiff, inertia in (
        ([0, 6], wood.modulus * area, wood.density * area),
        ([3, 9], torsion, wood.density * np.pi * radius**4 / 2),
    ):
        k[np.ix_(dofs, dofs)], m[np.ix_(dofs, dofs)] = stiff * rod, inertia * linear
    el = length
    beam_k = bending / el**3 * np.array([[12, 6 * el, -12, 6 * el], [6 * el, 4 * el**2, -6 * el, 2 * el**2], [-12, -6 * el, 12, -6 * el], [6 * el, 2 * el**2, -6 * el, 4 * el**2]])
    beam_m = wood.density * area * el / 420 * np.array([[156, 22 * el, 54, -13 * el], [22 * el, 4 * el**2, 13 * el, -3 * el**2], [54, 13 * el, 156, -22 * el], [-13 * el, -3 * el**2, -22 * el, 4 * el**2]])
    # In the plane of x and z a positive rotation about y lowers w.
    for dofs, sign in (([1, 5, 7, 11], 1.0), ([2, 4, 8, 10], -1.0)):
        flip = np.diag([1.0, sign, 1.0, sign])
        k[np.ix_(dofs, dofs)], m[np.ix_(dofs, dofs)] = flip @ beam_k @ flip, flip @ beam_m @ flip
    return k, m
