"""A tree in Pinocchio, which knows joints and masses but no springs."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pinocchio as pin

# Most bodies: `Data` allocates tensors of second derivatives whatever it is used for, 64 bytes × (3 × bodies)³, here 3 GB.
MOST_BODIES = 120


class PinocchioTree:
    """The first bodies of an exported tree, with ball joints.

    Springs and dampers are taken implicitly, (M + hD + h²K) a = −b − K(θ + hv) − Dv: what stands beside M is diagonal and goes into the
    articulated-body algorithm as `armature`. That is the fastest way to a stable step that Pinocchio offers.
    """

    def __init__(self, file: Path):
        root = ElementTree.parse(file).getroot()
        self.model = pin.Model()
        self.model.gravity.linear = numbers(root.find("option").get("gravity"))
        self.springs, self.dampers, self.rest = [], [], []
        self._add(root.find("worldbody").find("body"))
        self.springs, self.dampers, self.rest = (np.concatenate(x) for x in (self.springs, self.dampers, self.rest))
        self.data = self.model.createData()
        self.reset()

    def _add(self, first: ElementTree.Element) -> None:
        # Without recursion: trees are deeper than Python's stack.
        todo = [(first, 0)]
        while todo:
            body, parent = todo.pop()
            # Bodies are numbered parents first.
            if int(body.get("name")[1:]) >= MOST_BODIES:
                continue
            place = pin.SE3(pin.Quaternion(*numbers(body.get("quat", "1 0 0 0"))), numbers(body.get("pos")))
            joint = self.model.addJoint(parent, pin.JointModelSpherical(), place, body.get("name"))
            inertial = body.find("inertial")
            turn = pin.Quaternion(*numbers(inertial.get("quat", "1 0 0 0"))).toRotationMatrix()
            about_centre = turn @ np.diag(numbers(inertial.get("diaginertia"))) @ turn.T
            inertia = pin.Inertia(float(inertial.get("mass")), numbers(inertial.get("pos")), about_centre)
            self.model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
            spring, damper, rest = np.zeros(3), np.zeros(3), np.zeros(3)
            for hinge in body.findall("joint"):
                along = numbers(hinge.get("axis")) != 0.0 if hinge.get("type") == "hinge" else np.full(3, True)
                spring[along] = float(hinge.get("stiffness"))
                damper[along] = float(hinge.get("damping"))
                rest[along] = float(hinge.get("springref", "0"))
            for values, value in zip((self.springs, self.dampers, self.rest), (spring, damper, rest)):
                values.append(value)
            todo += [(child, joint) for child in reversed(body.findall("body"))]

    def reset(self) -> None:
        """The given pose, at rest."""
        self.q = pin.neutral(self.model)
        self.v = np.zeros(self.model.nv)

    def joints(self) -> np.ndarray:
        """Where the joint of every body is, m, in the order of the file."""
        pin.forwardKinematics(self.model, self.data, self.q)
        return np.array([place.translation for place in self.data.oMi][1:])

    def warnings(self) -> str:
        """Why the motion cannot be right."""
        return "" if np.all(np.isfinite(self.v)) else "not finite"

    def step(self, step: float, steps: int) -> None:
        """Moves by `steps` steps of `step` s."""
        self.model.armature = step * self.dampers + step * step * self.springs
        for _ in range(steps):
            theta = angles(self.q) - self.rest
            torque = -self.springs * (theta + step * self.v) - self.dampers * self.v
            self.v = self.v + step * pin.aba(self.model, self.data, self.q, self.v, torque)
            self.q = pin.integrate(self.model, self.q, step * self.v)


def numbers(text: str) -> np.ndarray:
    return np.array([float(word) for word in text.split()])


def angles(q: np.ndarray) -> np.ndarray:
    """Rotation vectors of quaternions x, y, z, w, one after the other."""
    turns = q.reshape(-1, 4)
    turns = turns * np.where(turns[:, 3:] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(turns[:, :3], axis=1)
    whole = 2.0 * np.arctan2(sine, turns[:, 3])
    return (turns[:, :3] * (whole / np.maximum(sine, 1e-300))[:, None]).ravel()
