"""A tree in MuJoCo: its rest under gravity, its modes and its motion."""

from pathlib import Path

import mujoco
import numpy as np


class Model:
    """An exported tree. Bodies are those of the tree, in the order of their ids."""

    def __init__(self, file: Path):
        self.model = mujoco.MjModel.from_xml_path(str(file))
        self.data = mujoco.MjData(self.model)
        count = self.model.nbody - 1  # without the world
        self.body = np.array([self.model.body(f"b{i}").id for i in range(count)])
        self.reset()

    def reset(self) -> None:
        """The given pose, at rest."""
        if self.model.nkey > 0:
            mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        else:
            mujoco.mj_resetData(self.model, self.data)
        mujoco.mj_forward(self.model, self.data)

    def joints(self) -> np.ndarray:
        """Where the joint of every body is, m."""
        return self.data.xpos[self.body].copy()

    def point(self, body: int, in_body: np.ndarray) -> np.ndarray:
        """A point of a body in the world, m."""
        index = self.body[body]
        return self.data.xpos[index] + self.data.xmat[index].reshape(3, 3) @ in_body

    def stiffness(self) -> np.ndarray:
        """Spring of every degree of freedom, N·m/rad."""
        return self.model.jnt_stiffness[self.model.dof_jntid]

    def compliance(self, body: int, in_body: np.ndarray, direction: np.ndarray) -> float:
        """How far a point moves along a unit direction under a force of 1 N along it, m/N, to first order."""
        jacobian = np.zeros((3, self.model.nv))
        place = self.point(body, in_body)
        mujoco.mj_jac(self.model, self.data, jacobian, None, place, self.body[body])
        return float(np.sum((direction @ jacobian) ** 2 / self.stiffness()))

    def settle(self, most: int = 500) -> None:
        """Moves to the static equilibrium by simplified Newton steps: the springs alone are the tangent.

        A step that would not come nearer is halved, so that a heavy tree, whose weight softens its springs, still settles.
        """
        model, data = self.model, self.data
        data.qvel[:] = 0.0
        springs = self.stiffness()

        def rest() -> np.ndarray:
            mujoco.mj_forward(model, data)
            return data.qfrc_passive - data.qfrc_bias

        def size(torque: np.ndarray) -> float:
            return float(np.sqrt(np.sum(torque**2 / springs)))

        torque, share = rest(), 1.0
        start = size(data.qfrc_bias)
        for _ in range(most):
            # The sums of torques round at some 1e-12 of the weight; sags are compared to a thousandth.
            if size(torque) <= 1e-10 * start:
                return
            before = data.qpos.copy()
            mujoco.mj_integratePos(model, data.qpos, share * torque / springs, 1.0)
            moved = rest()
            if size(moved) < size(torque):
                torque, share = moved.copy(), min(1.0, 1.5 * share)
            else:
                data.qpos[:] = before
                torque, share = rest(), 0.5 * share
        raise RuntimeError(f"no equilibrium after {most} steps: {size(torque) / start:.1e} of the weight is left")

    def frequencies(self, count: int) -> np.ndarray:
        """The slowest sways in the present pose, Hz.

        MuJoCo's mass matrix M and springs K: the largest eigenvalues of N = K^(-1/2) M K^(-1/2) are 1/ω². Block Krylov method
        with full orthogonalisation; the block finds sways that come in pairs.
        """
        model, data = self.model, self.data
        soft = 1.0 / np.sqrt(self.stiffness())
        image = np.zeros(model.nv)

        def apply(vectors: np.ndarray) -> np.ndarray:
            result = np.empty_like(vectors)
            for k, vector in enumerate(vectors.T):
                mujoco.mj_mulM(model, data, image, soft * vector)
                result[:, k] = soft * image
            return result

        width = min(2 * count, model.nv)
        block = np.random.default_rng(1).standard_normal((model.nv, width))
        basis = np.zeros((model.nv, 0))
        images = np.zeros((model.nv, 0))
        last = np.zeros(count)
        while True:
            for _ in range(2):  # twice is enough
                block = block - basis @ (basis.T @ block)
                block, _ = np.linalg.qr(block)
            basis = np.hstack([basis, block])
            block = apply(block)
            images = np.hstack([images, block])
            found = np.linalg.eigvalsh(basis.T @ images)[::-1][:count]
            if np.allclose(found, last, rtol=1e-10, atol=0.0) or basis.shape[1] + width > model.nv:
                return 1.0 / (2.0 * np.pi * np.sqrt(found))
            last = found

    def step(self, step: float, steps: int) -> None:
        """Moves by `steps` steps of `step` s."""
        self.model.opt.timestep = step
        mujoco.mj_step(self.model, self.data, steps)

    def warnings(self) -> str:
        """What MuJoCo complained about since the last reset. It resets itself when it diverges, and only says so here."""
        names = {int(w): w.name for w in mujoco.mjtWarning.__members__.values() if w.name != "mjNWARNING"}
        heard = [f"{name} × {self.data.warning[i].number}" for i, name in names.items() if self.data.warning[i].number]
        return ", ".join(heard)

    def pulled(self, pull: "Pull", step: float, steps: int, every: int) -> np.ndarray:
        """Path of the pulled point from the present pose on, m: at the start and after every `every`-th of `steps` steps."""
        model, data = self.model, self.data
        model.opt.timestep = step
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        index = self.body[pull.body]
        path = [self.point(pull.body, pull.in_body)]
        for i in range(1, steps + 1):
            mujoco.mj_step1(model, data)
            data.xfrc_applied[index] = 0.0
            if i <= pull.steps:
                place = self.point(pull.body, pull.in_body)
                force = pull.stiffness * (pull.target - place)
                torque = np.cross(place - data.xipos[index], force)
                data.xfrc_applied[index] = np.concatenate([force, torque])
            mujoco.mj_step2(model, data)
            if i % every == 0:
                mujoco.mj_kinematics(model, data)
                path.append(self.point(pull.body, pull.in_body))
        return np.array(path)


class Pull:
    """A spring from a point of a body to a target, for the first `steps` steps."""

    def __init__(self, body: int, in_body, target, stiffness: float, steps: int):
        self.body = body
        self.in_body = np.asarray(in_body, float)
        self.target = np.asarray(target, float)
        self.stiffness = stiffness
        self.steps = steps
