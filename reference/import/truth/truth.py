"""Writes the models of this folder and their truth: python3 truth.py (numpy).

Each function writes one model by hand, as its format has it, and beside it the same mechanism in joint coordinates, from the
same numbers. dynamics.py computes the accelerations of the latter in three states: s0 is at rest in the pose of the file, its
loops closed; s1 moves; s2 moves and has forces on its joints. Every case is held against differences of velocities.
"""
import json
import pathlib

import numpy as np

from dynamics import Joint, Mechanism, cross, free, quaternion, rotation, rpy

HERE = pathlib.Path(__file__).parent
ONE, ZERO, X, Y, Z = np.eye(3), np.zeros(3), *np.eye(3)


def text(*numbers):
    return " ".join(repr(float(x)) for x in np.ravel(numbers))


def write(name, content):
    (HERE / name).write_text(content)


def truth(name, model, m, variant="rigid", guess=None, spread=0.3, times=(0, 0, 0), seed=1):
    """Writes NAME.truth.json of mechanism m. Of s1 and s2 coordinates begin at guess, and are random by spread around it."""
    random, cases, worst = np.random.default_rng(seed), [], 0
    for k, t in enumerate(times):
        q, v, tau = m.start(), np.zeros(m.nv), np.zeros(m.nv)
        forces = {}
        if k > 0 or m.motions:
            q = m.moved(q, (np.zeros(m.nv) if guess is None else guess) + spread * random.normal(size=m.nv) * (not m.motions))
            v = random.normal(size=m.nv)
        for j, f in m.motions.items():
            q[0][j.at] = f(t)[0]
        q = m.close(q, t)
        v = m.allowed(q, v, t)
        if k == 2:
            for b in m.bodies:
                for j in b["joints"]:
                    if j.name and j.kind != "ball" and j not in m.motions:
                        tau[j.at] = forces[j.name] = round(5 * random.normal(), 6)
        a, rows, rank = m.accelerate(q, v, tau, t, variant == "full")
        worst = max(worst, m.differences(q, v, a))
        cases.append(dict(name=f"s{k}", time=t, constraint_rows=rows, rank=rank, mobility=m.nv - rank, joint_forces=forces, bodies=m.report(q, v, a)))
    assert worst < 1e-7, worst
    head = dict(format="rung-import-truth/1", engine="dynamics.py", file=model, variant=variant, gravity=list(m.gravity),
                tolerance=dict(relative_to_largest_of_the_case=1e-10, absolute=1e-10))
    body = ",\n".join(json.dumps(c, default=float) for c in cases)
    write(name + ".truth.json", json.dumps(head)[:-1] + ', "cases": [\n' + body + "\n]}\n")
    print(f"{name}: {m.nv} coordinates, {[(c['constraint_rows'], c['rank']) for c in cases]}, differences {worst:.1e}")
    return cases


# Assemblies of FreeCAD and Ondsel.

def indent(depth, *lines):
    return "".join("\t" * depth + line + "\n" for item in lines for line in item.rstrip("\n").split("\n"))


def place(r, E):
    return indent(0, "Position3D", "\t" + "\t".join(repr(float(x)) for x in r), "RotationMatrix",
                  *("\t" + "\t".join(repr(float(x)) for x in row) for row in E))


def value(name, x):
    return indent(0, name, "\t" + x)


def marker(name, r, E=ONE):
    point = "RefPoint\n" + indent(1, place(ZERO, ONE), "Markers")
    return point + indent(2, "Marker\n" + indent(1, value("Name", name), place(r, E)))


def assembly(name, gravity, m, parts, ground, joints, motions):
    """parts has the markers of each body; bodies of m have their mass marker at com with the axes of turn."""
    case = truth(name, name + ".asmt", m, guess=m.first, times=(0, 0.13, 0.4))[0]
    text = "OndselSolver\nAssembly\n" + indent(1, value("Notes", "()"), value("Name", "own"), place(ZERO, ONE), value("Velocity3D", "0 0 0"),
                                               value("Omega3D", "0 0 0"), "RefPoints")
    text += indent(2, *ground) + indent(1, "RefCurves", "RefSurfaces", "Parts")
    for b, state, marks in zip(m.bodies, case["bodies"], parts):
        E = rotation_of(state["orientation"])
        mass = "PrincipalMassMarker\n" + indent(1, value("Name", "MassMarker"), place(b["com"], b["turn"]), value("Mass", repr(b["mass"])),
                                                value("MomentOfInertias", text_tabs(b["moments"])), value("Density", "1.0"))
        text += indent(2, "Part\n" + indent(1, value("Name", b["name"]), place(state["position"], E), value("Velocity3D", text_tabs(state["linear_velocity"])),
                                            value("Omega3D", text_tabs(state["angular_velocity"])), "FeatureOrder", mass, "RefPoints\n" + indent(1, *marks),
                                            "RefCurves", "RefSurfaces"))
    text += indent(1, "KinematicIJs", "ConstraintSets\n" + indent(1, "Joints\n" + indent(1, *joints), "Motions\n" + indent(1, *motions), "GeneralConstraintSets"),
                   "ForceTorques", value("ConstantGravity", text_tabs(gravity)), "SimulationParameters\n" + indent(1, value("tstart", "0.0"), value("tend", "1.0")))
    write(name + ".asmt", text)


def text_tabs(x):
    return "\t".join(repr(float(c)) for c in x)


def rotation_of(q):
    w, v = q[0], np.array(q[1:])
    return ONE + 2 * w * cross(v) + 2 * cross(v) @ cross(v)


def pair(kind, name, i, j):
    return kind + "\n" + indent(1, value("Name", name), value("MarkerI", "/own/" + i), value("MarkerJ", "/own/" + j))


def drive(joint, expression):
    return "RotationalMotion\n" + indent(1, value("Name", "drive"), value("MotionJoint", "/own/" + joint), value("RotationZ", expression))


def part(m, name, parent, E, r, joints, mass, com, moments, turn):
    m.body(name, parent, E, r, joints, mass, com, turn @ np.diag(moments) @ turn.T)
    m.bodies[-1].update(turn=turn, moments=moments)


def four_bar_asmt():
    """A four-bar linkage in a tilted plane, its crank driven at constant speed, with a bob that swings on its coupler."""
    m = Mechanism((0, 0, -9.81))
    tilt, at = rpy(0.3, -0.2, 0.5), np.array([0.1, 0.2, 0.3])
    a, b, mid = np.array([-0.05, 0.02, 0.1]), np.array([0.35, 0.02, 0.1]), np.array([0.5, 0.2, -0.1])
    hang = rpy(0.1, 0.7, -0.3)
    crank, swing = Joint("hinge", "A", point=a), Joint("hinge", "E", point=(0, 0, 0.2))
    part(m, "crank", "world", tilt, at - tilt @ a, [crank], 0.7, (0.15, 0.03, 0.1), (0.01, 0.02, 0.025), rpy(0.2, 0, 0.1))
    part(m, "coupler", "crank", ONE, b, [Joint("hinge", "B")], 1.1, (0.5, 0.05, 0), (0.02, 0.12, 0.13), rpy(0, 0.1, 0))
    part(m, "rocker", "world", tilt, at + tilt @ [1.2, 0, 0], [Joint("hinge", "D")], 0.9, (0.4, 0, 0.02), (0.01, 0.08, 0.085), ONE)
    part(m, "bob", "coupler", hang, mid - hang @ [0, 0, 0.2], [swing], 0.4, (0, -0.3, 0.1), (0.011, 0.004, 0.012), rpy(0.3, 0.2, 0.1))
    m.loop("hinge", "coupler", ONE, (1.1, 0, 0), "rocker", ONE, (0.8, 0, 0))
    m.motions[crank] = lambda t: (0.5 + 2 * np.pi * t, 2 * np.pi, 0)
    m.first = np.array([0.5, 0.3, 2, 0.4])
    assembly("four-bar-driven", m.gravity, m, [
        [marker("A", a), marker("B", b)], [marker("B", ZERO), marker("C", (1.1, 0, 0)), marker("E", mid, hang)],
        [marker("D", ZERO), marker("C", (0.8, 0, 0), rpy(0, 0, 0.4))], [marker("E", (0, 0, 0.2))],
    ], [marker("A", at, tilt), marker("D", at + tilt @ [1.2, 0, 0], tilt)], [
        pair("RevoluteJoint", "A", "A", "crank/A"), pair("RevoluteJoint", "B", "crank/B", "coupler/B"),
        pair("RevoluteJoint", "C", "coupler/C", "rocker/C"), pair("RevoluteJoint", "D", "D", "rocker/D"), pair("RevoluteJoint", "E", "coupler/E", "bob/E"),
    ], [drive("A", "0.5d + 2.0d*pi*time")])


def piston_asmt():
    """A piston on a rod on a crank that is driven to and fro. The piston may turn in its cylinder."""
    m = Mechanism((0, -9.81, 0))
    along = rotation(np.pi / 2 * Y)  # z to x
    crank = Joint("hinge", "crank")
    part(m, "crank", "world", ONE, ZERO, [crank], 1.5, (0.1, 0, 0), (0.01, 0.015, 0.02), ONE)
    part(m, "rod", "crank", ONE, (0.3, 0, 0.05), [Joint("hinge", "pin")], 0.8, (0.45, 0, 0.01), (0.004, 0.06, 0.06), rpy(0.4, 0, 0))
    part(m, "piston", "rod", along, (0.9, 0, 0), [Joint("hinge", "wrist", axis=along.T @ Z)], 2.5, (0, 0, 0.1), (0.02, 0.02, 0.015), ONE)
    m.loop("cylinder", "world", along, (2, 0, 0.05), "piston", ONE, ZERO)
    w = 3 * np.pi
    m.motions[crank] = lambda t: (0.3 + 0.8 * np.sin(w * t + 0.2), 0.8 * w * np.cos(w * t + 0.2), -0.8 * w * w * np.sin(w * t + 0.2))
    m.first = np.array([0.4, -0.5, 0.1])
    hinge = along.T  # its z is that of the crank
    assembly("piston", m.gravity, m, [
        [marker("A", ZERO), marker("B", (0.3, 0, 0.05))], [marker("B", ZERO), marker("C", (0.9, 0, 0))], [marker("C", ZERO, hinge), marker("D", ZERO)],
    ], [marker("A", ZERO), marker("D", (2, 0, 0.05), along)], [
        pair("RevoluteJoint", "crank", "A", "crank/A"), pair("RevoluteJoint", "pin", "crank/B", "rod/B"), pair("RevoluteJoint", "wrist", "rod/C", "piston/C"),
        pair("CylindricalJoint", "cylinder", "D", "piston/D"),
    ], [drive("crank", "0.3d + 0.8d*sin(3.0d*pi*time + 0.2d)")])


# Models of MuJoCo.

def boxes(*rods):
    """Mass, centre and inertia of square boxes of density 1000 between points: a, b, half the side."""
    parts = []
    for a, b, s in rods:
        a, b = np.array(a, float), np.array(b, float)
        n, length = (b - a) / np.linalg.norm(b - a), np.linalg.norm(b - a)
        mass = 4000 * s * s * length
        across, around = mass * (length**2 + 4 * s * s) / 12, mass * 8 * s * s / 12
        parts.append((mass, (a + b) / 2, across * (ONE - np.outer(n, n)) + around * np.outer(n, n)))
    mass = sum(p[0] for p in parts)
    com = sum(p[0] * p[1] for p in parts) / mass
    return mass, com, sum(I - m * cross(c - com) @ cross(c - com) for m, c, I in parts)


def connect_mjcf():
    """A pendulum on a ball and a floating body, held together at two sites."""
    m = Mechanism((0, 0, -9.81))
    m.body("upper", "world", ONE, (0.2, 0, 1), [Joint("ball")], *boxes(((0, 0, 0), (0.4, 0, 0), 0.02), ((0.4, 0, 0), (0.4, 0.25, 0.1), 0.03)))
    m.body("lower", "world", ONE, (0.6, 0.25, 1.1), free(), *boxes(((0, 0, 0), (0.3, 0.1, 0), 0.025), ((0.3, 0.1, 0), (0.3, 0.1, -0.4), 0.02)))
    m.loop("ball", "upper", ONE, (0.4, 0.25, 0.1), "lower", ONE, (0, 0, 0))
    write("connect.xml", """<mujoco model="connect">
  <default><geom type="box"/></default>
  <worldbody>
    <light pos="0 -1 1"/>
    <body name="upper" pos="0.2 0 1">
      <joint type="ball"/>
      <geom size="0.02" fromto="0 0 0 0.4 0 0"/>
      <geom size="0.03" fromto="0.4 0 0 0.4 0.25 0.1"/>
      <site name="tip" pos="0.4 0.25 0.1"/>
    </body>
    <body name="lower" pos="0.6 0.25 1.1">
      <freejoint/>
      <geom size="0.025" fromto="0 0 0 0.3 0.1 0"/>
      <geom size="0.02" fromto="0.3 0.1 0 0.3 0.1 -0.4"/>
      <site name="top"/>
    </body>
  </worldbody>
  <equality><connect site1="tip" site2="top"/></equality>
</mujoco>
""")
    truth("connect", "connect.xml", m)


def weld_mjcf():
    """Floating bodies that welds hold, in the ways in which their frames can be given, and one on a connect."""
    m = Mechanism((0, 0, -9.81))
    turn = rotation(np.radians(30) * Z)
    inertia = dict(mass=1.5, com=(0.1, 0, -0.05), inertia=(0.02, 0.03, 0.04))
    for name, E, r in [("a", ONE, (0, 0, 1)), ("b", turn, (0.5, 0, 1)), ("c", ONE, (0.5, 0.6, 1.2)), ("d", turn.T, (-0.5, 0, 1.4)), ("e", ONE, (-0.5, -0.7, 1.4))]:
        m.body(name, "world", E, r, free(), **inertia)
    m.loop("ball", "world", ONE, (0.1, 0.2, 1.3), "a", ONE, (0.1, 0.2, 0.3))  # torquescale 0
    m.loop("weld", "a", turn, np.array([0.5, 0, 0]) + turn @ [0.2, -0.1, 0], "b", ONE, (0.2, -0.1, 0))
    q = np.array([0.9, 0.1, -0.2, 0.3]) / np.linalg.norm([0.9, 0.1, -0.2, 0.3])
    m.loop("weld", "b", rotation_of(q), (0.3, 0.5, 0.1), "c", ONE, (0, 0, 0.1))  # open in the pose of the file
    m.loop("ball", "d", ONE, (0.2, 0, 0.3), "world", ONE, np.array([-0.5, 0, 1.4]) + turn.T @ [0.2, 0, 0.3])
    m.loop("weld", "e", turn.T, (0, 0.7, 0), "d", ONE, ZERO)
    bodies = "".join(f"""    <body name="{n}" pos="{p}"{e}><freejoint/><inertial pos="0.1 0 -0.05" mass="1.5" diaginertia="0.02 0.03 0.04"/><geom class="look" size="0.1"/></body>
""" for n, p, e in [("a", "0 0 1", ""), ("b", "0.5 0 1", ' euler="0 0 30"'), ("c", "0.5 0.6 1.2", ""), ("d", "-0.5 0 1.4", ' axisangle="0 0 -2 30"'), ("e", "-0.5 -0.7 1.4", "")])
    write("weld.xml", f"""<mujoco model="weld">
  <default><default class="look"><geom group="2" contype="0" conaffinity="0"/></default></default>
  <worldbody>
{bodies}  </worldbody>
  <equality>
    <weld body1="a" torquescale="0" anchor="0.1 0.2 1.3"/>
    <weld body1="a" body2="b" anchor="0.2 -0.1 0"/>
    <weld body1="b" body2="c" relpose="0.3 0.5 0.1 {text(q)}" anchor="0 0 0.1"/>
    <connect body1="d" anchor="0.2 0 0.3"/>
    <weld name="last" body1="e" body2="d"/>
    <weld body1="a" body2="e" active="false"/>
  </equality>
</mujoco>
""")
    truth("weld", "weld.xml", m)


def sites_mjcf():
    """Bodies held at turned sites of the world; parts without joints belong to the body around them."""
    m = Mechanism((0, 0, -9.81))
    thick, thin = boxes(((0, 0, 0), (0, 0.3, -0.8), 0.15)), boxes(((0, 0, 0), (0, 0.3, -0.8), 0.1))
    mass = thick[0] + thin[0]
    low = np.array([0, 0.3, -0.8])
    com = (thick[0] * thick[1] + thin[0] * (low + thin[1])) / mass
    inertia = sum(I - w * cross(c - com) @ cross(c - com) for w, c, I in [thick, (thin[0], low + thin[1], thin[2])])
    site = rotation(np.radians(-90) * X)
    for name, x in [("a", -2), ("b", 1)]:
        m.body(name, "world", ONE, (x, 1, 0), free(), mass, com, inertia)
        m.body(name + "low", name, ONE, low, [])
    m.loop("ball", "world", site, (-2, 0, 0), "a", ONE, (0, -1, 0))
    m.loop("weld", "world", site, (1, 0, 0), "b", site @ rotation(np.radians(20) * Y), (0, -1, 0))
    bodies = "".join(f"""    <site name="{n}1" pos="{x} 0 0" euler="-90 0 0"/>
    <body name="{n}" pos="{x} 1 0">
      <freejoint/>
      <geom class="rod" size="0.15"/>
      <site name="{n}2" pos="0 -1 0"{e}/>
      <body name="{n}low" pos="0 0.3 -0.8"><geom class="rod" size="0.1"/><site name="{n}tip"/></body>
    </body>
""" for n, x, e in [("a", -2, ""), ("b", 1, ' euler="-90 20 0"')])
    write("sites.xml", f"""<mujoco model="sites">
  <option viscosity="1"><flag contact="disable"/></option>
  <default><default class="rod"><geom type="box" fromto="0 0 0 0 0.3 -0.8" rgba="0.4 0.7 0.6 1"/></default></default>
  <worldbody>
    <geom pos="0 0 -2" type="plane" size="10 10 0.01"/>
{bodies}  </worldbody>
  <equality>
    <connect name="by sites" site1="a1" site2="a2"/>
    <connect name="by bodies" body1="a" body2="world" active="false" anchor="0 -1 0"/>
    <weld name="turned" site1="b1" site2="b2"/>
  </equality>
</mujoco>
""")
    truth("sites", "sites.xml", m)


def biped_mjcf():
    """A floating biped: each leg has a rod on a ball from the thigh to the spring of the heel, and a foot moved by a crank and a rod."""
    sides = [("left", 1), ("right", -1)]
    K, D, deg = dict(shinspring=1400, heelspring=1100), 0.7, np.pi / 180
    m = Mechanism((0, 0, -9.81))
    full = np.array([[0.09, 1.3e-5, -1.6e-4], [1.3e-5, 0.05, -4e-4], [-1.6e-4, -4e-4, 0.085]])
    m.body("torso", "world", ONE, (0, 0, 1.2), free(), 9.5, (0.04, 0.001, 0.03), full)
    legs, loops, tilt = "", "", rotation(20 * deg * Y)
    for s, y in sides:
        n = lambda part: s + "-" + part
        hinge = lambda part, axis=(0, 1, 0), **more: [Joint("hinge", n(part), axis, **more)]
        m.body(n("hip"), "torso", ONE, (0.02, 0.13 * y, 0), hinge("hip", (1, 0, 0), damping=D, armature=0.038), 1.8, (-0.01, 0, -0.02), (0.003, 0.004, 0.005))
        m.body(n("thigh"), n("hip"), tilt, (0, 0, -0.07), hinge("thigh", damping=D, armature=0.09), 2.9, (0, 0.01 * y, -0.2), (0.04, 0.041, 0.008))
        m.body(n("rod"), n("thigh"), ONE, (-0.06, 0, -0.02), [Joint("ball", n("rod"))], 0.16, (0, 0, -0.25), (0.003, 0.003005, 1e-05))
        m.body(n("knee"), n("thigh"), tilt.T, (0, 0, -0.4), hinge("knee", damping=D, armature=0.09), 0.8, (0.02, 0, -0.03), (0.001, 0.002, 0.002))
        m.body(n("shin"), n("knee"), ONE, (0.03, 0, -0.06), hinge("shin", stiffness=K["shinspring"], rest=2 * deg, damping=0.1), 0.6, (0, 0, -0.15), (0.006, 0.0061, 0.0004))
        m.body(n("tarsus"), n("shin"), tilt, (0, 0, -0.35), hinge("tarsus", damping=0.1), 0.8, (-0.02, 0, -0.14), (0.008, 0.0081, 0.0006))
        m.body(n("heel"), n("tarsus"), ONE, (-0.03, 0, -0.01), hinge("heel", stiffness=K["heelspring"]), 0.12, (-0.04, 0, 0.01), (2e-5, 1e-4, 1e-4))
        m.body(n("crank"), n("tarsus"), ONE, (0.03, 0, -0.05), hinge("crank", damping=0.1), 0.1, (0.01, 0, 0), (2e-5, 3e-5, 4e-5))
        m.body(n("plantar"), n("crank"), ONE, (0.05, 0, 0), hinge("plantar"), 0.12, (0, 0, -0.17), (0.001, 0.00101, 1e-5))
        m.body(n("foot"), n("tarsus"), ONE, (0, 0, -0.38), hinge("foot", damping=D, armature=0.03), 0.15, (0.01, 0, -0.03), (3e-4, 2e-4, 4e-4))
        state = dict((b["name"], f) for b, f in zip(m.bodies, m.forward(m.start(), np.zeros(m.nv))))
        inside = lambda body, of, p: state[body][0].T @ (state[of][1] + state[of][0] @ np.array(p) - state[body][1])
        for of, p, body in [("rod", (-0.05, 0, -0.47), "heel"), ("plantar", (0, 0, -0.35), "foot")]:
            m.loop("ball", n(of), ONE, p, n(body), ONE, inside(n(body), n(of), p))
            loops += f'    <connect body1="{n(of)}" body2="{n(body)}" anchor="{text(p)}"/>\n'
        joint = lambda part, more="": f'<joint name="{n(part)}"{more}/>'
        mass = lambda m, pos, I: f'<inertial mass="{m}" pos="{pos}" diaginertia="{I}"/><geom size="0.03"/>'
        legs += f"""      <body name="{n('hip')}" pos="0.02 {0.13 * y} 0">
        {joint('hip', ' axis="2 0 0" class="motor" armature="0.038" range="-20 20"')}{mass(1.8, '-0.01 0 -0.02', '0.003 0.004 0.005')}
        <body name="{n('thigh')}" pos="0 0 -0.07" euler="0 20 0">
          {joint('thigh', ' class="motor"')}{mass(2.9, f'0 {0.01 * y} -0.2', '0.04 0.041 0.008')}
          <body name="{n('rod')}" pos="-0.06 0 -0.02">{joint('rod', ' type="ball"')}{mass(0.16, '0 0 -0.25', '0.003 0.003005 1e-05')}</body>
          <body name="{n('knee')}" pos="0 0 -0.4" euler="0 -20 0">
            {joint('knee', ' class="motor" range="-90 30"')}{mass(0.8, '0.02 0 -0.03', '0.001 0.002 0.002')}
            <body name="{n('shin')}" pos="0.03 0 -0.06">
              {joint('shin', f' stiffness="{K["shinspring"]}" springref="2" damping="0.1"')}{mass(0.6, '0 0 -0.15', '0.006 0.0061 0.0004')}
              <body name="{n('tarsus')}" pos="0 0 -0.35" euler="0 20 0">
                {joint('tarsus', ' damping="0.1"')}{mass(0.8, '-0.02 0 -0.14', '0.008 0.0081 0.0006')}
                <body name="{n('heel')}" pos="-0.03 0 -0.01">{joint('heel', f' stiffness="{K["heelspring"]}"')}{mass(0.12, '-0.04 0 0.01', '2e-5 1e-4 1e-4')}</body>
                <body name="{n('crank')}" pos="0.03 0 -0.05">
                  {joint('crank', ' damping="0.1"')}{mass(0.1, '0.01 0 0', '2e-5 3e-5 4e-5')}
                  <body name="{n('plantar')}" pos="0.05 0 0">{joint('plantar')}{mass(0.12, '0 0 -0.17', '0.001 0.00101 1e-5')}</body>
                </body>
                <body name="{n('foot')}" pos="0 0 -0.38">{joint('foot', ' class="motor" armature="0.03"')}{mass(0.15, '0.01 0 -0.03', '3e-4 2e-4 4e-4')}</body>
              </body>
            </body>
          </body>
        </body>
      </body>
"""
    write("biped.xml", f"""<mujoco model="biped">
  <compiler eulerseq="zyx" autolimits="true"/>
  <default>
    <geom contype="0" conaffinity="0" group="2"/>
    <joint axis="0 1 0"/>
    <default class="motor"><joint damping="{D}" armature="0.09"/></default>
  </default>
  <worldbody>
    <body name="torso" pos="0 0 1.2">
      <inertial pos="0.04 0.001 0.03" mass="9.5" fullinertia="0.09 0.05 0.085 1.3e-05 -0.00016 -0.0004"/>
      <freejoint name="base"/>
{legs}    </body>
  </worldbody>
  <equality>
{loops}  </equality>
  <actuator><motor joint="left-knee" gear="16"/><motor joint="right-knee" gear="16"/></actuator>
</mujoco>
""")
    for variant in ("rigid", "full"):
        truth("biped." + variant, "biped.xml", m, variant, spread=0.12)


# SDFormat.

def biglide_sdf():
    """A platform on two feet that slide on rails, on one side by two bars. A plugin holds the tool."""
    m = Mechanism((0, 0, -9.8))
    slide = lambda name: [Joint("slide", name, Y)]
    hinge = lambda name: [Joint("hinge", name, X)]
    bar = dict(mass=1.2, com=(0, 0, 0.25), inertia=(0.03, 0.031, 0.002))
    m.body("leftRail", "world", ONE, (0, 0, 0.1), [], 3, inertia=(0.5, 0.01, 0.5))
    m.body("rightRail", "world", rpy(0, 0, np.pi), (0.4, 0, 0.1), [], 3, inertia=(0.5, 0.01, 0.5))
    m.body("leftFoot", "leftRail", ONE, (0, -0.4, 0), slide("P1"), 1.5, (0, 0, 0.02), (0.01, 0.011, 0.012))
    m.body("rightFoot", "rightRail", rpy(0, 0, -np.pi), (0, -0.5, 0), [Joint("slide", "P2", Y)], 1.4, (0, 0, 0.02), (0.01, 0.011, 0.012))
    m.body("leftBar", "leftFoot", ONE, (0.05, 0, 0), hinge("A1"), **bar)
    m.body("platform", "leftBar", ONE, (0.1, 0.3, 0.5), hinge("B1"), 2, (0.02, 0.05, 0), (0.02, 0.03, 0.04))
    m.body("secondBar", "leftFoot", ONE, (0.05, 0.25, 0), hinge("A2"), **bar, weightless=True)
    m.body("rightBar", "rightFoot", ONE, (-0.05, 0, 0), hinge("A3"), **bar)
    m.body("tool", "platform", rpy(0, 0, 0.5), (0, 0.1, 0.1), [], 0.5, (0, 0, 0.05), (0.002, 0.003, 0.001))
    aim = rotation(np.pi / 2 * Y)  # z to x
    m.loop("hinge", "secondBar", aim, (0.1, 0.25, 0.5), "platform", aim, (0, 0.2, 0))
    m.loop("hinge", "rightBar", aim, (-0.1, -0.4, 0.5), "platform", aim, (0.1, 0.2, 0))
    link = lambda name, pose, mass, com, I, more="": f"""    <link name="{name}">
      <pose{pose[0]}>{pose[1]}</pose>
      <inertial><mass>{mass}</mass><pose>{com} 0 0 0</pose><inertia><ixx>{I[0]}</ixx><iyy>{I[1]}</iyy><izz>{I[2]}</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>{more}
    </link>
"""
    to = lambda name: f' relative_to="{name}"'
    joint = lambda name, kind, parent, child, pose="", axis="", more="": f"""    <joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{pose}{axis and f'<axis><xyz{more}>{axis}</xyz></axis>'}</joint>
"""
    visual = '\n      <visual name="v"><geometry><box><size>0.01 5 0.01</size></box></geometry></visual>'
    bar, foot = (1.2, "0 0 0.25", (0.03, 0.031, 0.002)), ("0 0 0.02", (0.01, 0.011, 0.012))
    links = [
        link("leftRail", ("", "0 0 0 0 0 0"), 3, "0 0 0", (0.5, 0.01, 0.5), visual),
        link("rightRail", ("", f"0.4 0 0 0 0 {np.pi!r}"), 3, "0 0 0", (0.5, 0.01, 0.5), visual),
        link("leftFoot", ("", "0 -0.4 0 0 0 0"), 1.5, *foot),
        link("rightFoot", ("", "0.4 0.5 0 0 0 0"), 1.4, *foot),
        link("leftBar", (to("leftFoot"), "0.05 0 0 0 0 0"), *bar),
        link("secondBar", (to("leftBar"), "0 0.25 0 0 0 0"), *bar, "<gravity>0</gravity>"),
        link("rightBar", (to("rightFoot"), "-0.05 0 0 0 0 0"), *bar),
        link("platform", (to("B1"), "0 0 0 0 0 0"), 2, "0.02 0.05 0", (0.02, 0.03, 0.04)),
        link("tool", (to("platform"), "0 0.1 0.1 0 0 0.5"), 0.5, "0 0 0.05", (0.002, 0.003, 0.001)),
    ]
    joints = [
        joint("left", "fixed", "world", "leftRail"),
        joint("right", "fixed", "world", "rightRail"),
        joint("P1", "prismatic", "leftRail", "leftFoot", "", "0 1 0"),
        joint("P2", "prismatic", "rightRail", "rightFoot", "", "0 1 0"),
        joint("A1", "revolute", "leftFoot", "leftBar", "", "1 0 0"),
        joint("A2", "revolute", "leftFoot", "secondBar", "", "2 0 0"),
        joint("A3", "revolute", "rightFoot", "rightBar", "", "1 0 0", ' expressed_in="__model__"'),
        joint("B1", "revolute", "leftBar", "platform", f'<pose{to("leftBar")}>0.1 0.3 0.5 0 0 0</pose>', "1 0 0"),
        joint("B2", "revolute", "secondBar", "platform", "<pose>0 0.2 0 0.3 0 0</pose>", "1 0 0"),
        joint("B3", "continuous", "rightBar", "platform", "<pose>0.1 0.2 0 0 0 0</pose>", "1 0 0"),
    ]
    write("biglide.sdf", f"""<?xml version="1.0"?>
<sdf version="1.7">
  <model name="biglide">
    <pose>0 0 0.1 0 0 0</pose>
    <self_collide>false</self_collide>
{"".join(links + joints)}    <plugin filename="gz-sim-joint-state-publisher-system" name="gz::sim::systems::JointStatePublisher"/>
    <plugin filename="gz-sim-apply-joint-force-system" name="gz::sim::systems::ApplyJointForce"><joint_name>P1</joint_name></plugin>
    <plugin filename="gz-sim-detachable-joint-system" name="gz::sim::systems::DetachableJoint">
      <parent_link>platform</parent_link><child_model>__model__</child_model><child_link>tool</child_link>
    </plugin>
  </model>
</sdf>
""")
    truth("biglide", "biglide.sdf", m, spread=0.15)


# URDF.

def link(name, mass=0, com=ZERO, I=(0, 0, 0), more=""):
    inertial = f'<inertial><origin xyz="{text(com)}"/><mass value="{mass}"/><inertia ixx="{I[0]}" iyy="{I[1]}" izz="{I[2]}" ixy="0" ixz="0" iyz="0"/></inertial>' if mass else ""
    return f'  <link name="{name}">{inertial}{more}</link>\n'


def joint(name, kind, parent, child, r=ZERO, angles=ZERO, axis=None, more=""):
    axis = "" if axis is None else f'<axis xyz="{text(axis)}"/>'
    return f'  <joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="{text(r)}" rpy="{text(angles)}"/>{axis}{more}</joint>\n'


def five_bar_urdf():
    """A five-bar linkage with one more hinge across, closed by a pair of frames in a file beside it."""
    m = Mechanism((0, 0, -9.81))
    lean = (0.4, -0.3, 0.2)
    mass = dict(mass=0.8, com=(0.15, 0.01, 0.02), inertia=(0.001, 0.008, 0.0085))
    m.body("plate", "world", ONE, ZERO, [], 5, (0, 0, -0.05), (0.1, 0.1, 0.2))
    m.body("right", "plate", rpy(*lean), (0.1, 0, 0.2), [Joint("hinge", "motor1", Z)], **mass)
    m.body("left", "plate", rpy(*lean), np.array([0.1, 0, 0.2]) + rpy(*lean) @ [-0.3, 0, 0], [Joint("hinge", "motor2", Z)], **mass)
    m.body("rightArm", "right", rpy(0, 0, 1.9), (0.3, 0, 0.04), [Joint("hinge", "elbow1", Z)], **mass)
    m.body("leftArm", "left", rpy(0, 0, 0.6), (0.3, 0, 0.04), [Joint("hinge", "elbow2", Z)], **mass)
    m.body("hand", "leftArm", rpy(np.pi / 2, 0, 0), (0.2, 0, 0), [Joint("hinge", "across", Z)], 0.3, (0.05, 0, 0), (0.0004, 0.0005, 0.0003))
    m.body("effector", "hand", rpy(0.1, 0.2, 0.3), (0.15, 0, 0.02), [])
    m.body("frameA", "hand", rpy(1, 0, 0), (0.12, 0, 0), [])
    m.body("frameB", "rightArm", ONE, (0.35, 0, 0), [])
    m.loop("ball", "frameA", ONE, ZERO, "frameB", ONE, ZERO)
    more = '<limit effort="1" velocity="20"/><joint_properties friction="0.0"/>'
    arm = (0.8, (0.15, 0.01, 0.02), (0.001, 0.008, 0.0085))
    text_ = '<robot name="five-bar">\n' + link("plate", 5, (0, 0, -0.05), (0.1, 0.1, 0.2))
    for n in ("right", "left", "rightArm", "leftArm"):
        text_ += link(n, *arm, '<visual><geometry><mesh filename="package://parts/arm.stl"/></geometry></visual>')
    text_ += link("hand", 0.3, (0.05, 0, 0), (0.0004, 0.0005, 0.0003)) + link("effector") + link("frameA") + link("frameB")
    text_ += joint("motor1", "revolute", "plate", "right", (0.1, 0, 0.2), lean, Z, more)
    text_ += joint("motor2", "revolute", "plate", "left", np.array([0.1, 0, 0.2]) + rpy(*lean) @ [-0.3, 0, 0], lean, Z, more)
    text_ += joint("elbow1", "revolute", "right", "rightArm", (0.3, 0, 0.04), (0, 0, 1.9), Z, more)
    text_ += joint("elbow2", "revolute", "left", "leftArm", (0.3, 0, 0.04), (0, 0, 0.6), Z, more)
    text_ += joint("across", "revolute", "leftArm", "hand", (0.2, 0, 0), (np.pi / 2, 0, 0), Z, more)
    text_ += joint("tip", "fixed", "hand", "effector", (0.15, 0, 0.02), (0.1, 0.2, 0.3), ZERO)
    text_ += joint("a", "fixed", "hand", "frameA", (0.12, 0, 0), (1, 0, 0)) + joint("b", "fixed", "rightArm", "frameB", (0.35, 0, 0))
    write("five-bar.urdf", text_ + "</robot>\n")
    write("five-bar.yaml", "closed_loop: [['frameB', 'frameA']]\ntype: ['3d']\nname_mot: ['motor1', 'motor2']\n")
    truth("five-bar", "five-bar.urdf", m, spread=0.1)


def plus_four_bar_urdf():
    """A parallelogram of URDF+ that is stretched, so singular, in the pose of the file."""
    m = Mechanism((0, 0, -9.81))
    lean = (1.2, 0.3, 0)
    part = dict(mass=2.2, com=(0.3, 0.02, 0), inertia=(0.01, 0.03, 0.035))
    m.body("base", "world", ONE, ZERO, [])
    m.body("first", "base", rpy(*lean), ZERO, [Joint("hinge", "j1", Z)], **part)
    m.body("second", "first", ONE, (0.6, 0, 0), [Joint("hinge", "j2", Z)], **part)
    m.body("third", "base", rpy(*lean), rpy(*lean) @ X, [Joint("hinge", "j3", Z)], **part)
    m.loop("hinge", "second", ONE, X, "third", ONE, (0.6, 0, 0))
    mass = (2.2, (0.3, 0.02, 0), (0.01, 0.03, 0.035))
    free_ = '<limit effort="30" velocity="1.0" lower="-13.14" upper="13.14"/>'
    named = lambda t, yes: t.replace('type="revolute"', f'type="revolute" independent="{yes}"', 1)
    write("plus-four-bar.urdf", '<robot name="four_bar" xmlns:xacro="http://ros.org/wiki/xacro">\n' + link("base") + link("first", *mass) + link("second", *mass) + link("third", *mass)
          + named(joint("j1", "revolute", "base", "first", ZERO, lean, Z, free_), "true") + named(joint("j2", "revolute", "first", "second", (0.6, 0, 0), ZERO, Z, free_), "false")
          + named(joint("j3", "revolute", "base", "third", rpy(*lean) @ X, lean, Z, free_), "false")
          + """  <loop name="loop1" type="revolute">
    <predecessor link="second"><origin xyz="1 0 0"/></predecessor>
    <successor link="third"><origin xyz="0.6 0 0"/></successor>
    <axis xyz="0 0 1"/>
  </loop>
</robot>
""")
    truth("plus-four-bar", "plus-four-bar.urdf", m, guess=np.array([0.7, -0.7, 0.7]), spread=0.05)


def walker_urdf():
    """Six legs of six links and three loops each on one crank, as of machines that walk in the wind."""
    m = Mechanism((0, 0, -9.81))
    B, C, D, F, P = [np.array([x, 0, z]) for x, z in [(-0.2, 0.33), (-0.25, -0.46), (-0.8, 0.05), (-0.72, -0.36), (-0.4, -0.09)]]
    m.body("frame", "world", ONE, (0, 0, 1), [], 20, inertia=(1, 1, 1))
    m.body("crank", "frame", ONE, ZERO, [Joint("hinge", "crank", Y)], 2, (0.01, 0, 0), (0.05, 0.06, 0.05))
    content = '<robot name="walker">\n' + link("frame", 20, ZERO, (1, 1, 1)) + link("crank", 2, (0.01, 0, 0), (0.05, 0.06, 0.05))
    content += joint("crank", "continuous", "frame", "crank", ZERO, ZERO, Y)
    for k, phase in enumerate((0, 0.5, -0.5)):
        for side in (1, -1):
            flip = lambda p: np.array(p) * [side, 1, 1]
            pin = np.array([0.15 * np.cos(phase) * side, 0.2 * k - 0.2, 0.15 * np.sin(phase)])
            zero = np.array([0.15, 0, 0])  # where the pin is that the points above belong to
            leg = f"leg{k}{'ab'[side < 0]}_"
            pivot = flip(P) + [0, 0.2 * k - 0.2, 0]
            mirror = rotation(np.pi * Z) if side < 0 else ONE  # by half a turn: the crank turns the other way for this side
            angles = (0, 0, np.pi) if side < 0 else ZERO
            hinge = lambda name: [Joint("hinge", leg + name, Y)]
            on_crank, on_frame = ("crank", pin, mirror, angles), ("frame", pivot, mirror, angles)
            parts = [
                ("j", *on_crank, (B - zero) / 2), ("b", *on_frame, (B + D - 2 * P) / 3), ("k", *on_crank, (C - zero) / 2), ("c", *on_frame, (C - P) / 2),
                ("f", leg + "b", D - P, ONE, ZERO, (F - D) / 2), ("g", leg + "c", C - P, ONE, ZERO, (F - C) / 3 + [0, 0, -0.15]),
            ]
            for name, parent, r, E, turn, com in parts:
                mass = 0.8 + 0.1 * k
                m.body(leg + name, parent, E, r, hinge(name), mass, com, (0.01, 0.012, 0.011))
                content += link(leg + name, mass, com, (0.01, 0.012, 0.011)) + joint(leg + name, "continuous", parent, leg + name, r, turn, Y)
            aim = rotation(-np.pi / 2 * X)  # z to y
            for a, p, b, s in [("j", B - zero, "b", B - P), ("k", C - zero, "c", C - P), ("f", F - D, "g", F - C)]:
                m.loop("hinge", leg + a, aim, p, leg + b, aim, s)
                ends = "".join(f'<link{i} link="{leg}{n}" xyz="{text(r)}" rpy="0 0 0"/>' for i, n, r in [(1, a, p), (2, b, s)])
                content += f'  <loop_joint name="{leg}{a}{b}" type="continuous"><axis xyz="0 1 0"/>{ends}</loop_joint>\n'
    write("walker.urdf", content + "</robot>\n")
    truth("walker", "walker.urdf", m, spread=0.05)


for make in (four_bar_asmt, piston_asmt, connect_mjcf, weld_mjcf, sites_mjcf, biped_mjcf, biglide_sdf, five_bar_urdf, plus_four_bar_urdf, walker_urdf):
    make()
