// Surfaces of solids of size one: point, normal, and by how much a point is shifted along z with half the length (of capsules). Seven numbers a vertex.

class Mesh {
  constructor() {
    this.vertices = [];
    this.indices = [];
  }

  vertex(p, n, shift = 0) {
    this.vertices.push(...p, ...n, shift);
    return this.vertices.length / 7 - 1;
  }

  quad(a, b, c, d) { this.indices.push(a, b, c, a, c, d); }
}

// box is a cube. With round its corners have one normal each, for boxes that are small in the picture.
export function box(round = false) {
  const m = new Mesh();
  if (round) {
    const corners = [], l = 1 / Math.sqrt(3);
    for (let i = 0; i < 8; i++) corners.push(m.vertex([i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1], [i & 1 ? l : -l, i & 2 ? l : -l, i & 4 ? l : -l]));
    for (const q of [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]) m.quad(...q.map((i) => corners[i]));
    return m;
  }
  for (let k = 0; k < 3; k++) {
    for (const side of [-1, 1]) {
      const corner = (a, b) => {
        const n = [0, 0, 0], p = [0, 0, 0];
        n[k] = p[k] = side;
        p[(k + 1) % 3] = a;
        p[(k + 2) % 3] = b * side;
        return m.vertex(p, n);
      };
      m.quad(corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1));
    }
  }
  return m;
}

const turn = (i, corners) => [Math.cos(2 * Math.PI * i / corners), Math.sin(2 * Math.PI * i / corners)];

function cylinder(corners) {
  const m = new Mesh();
  for (let i = 0; i < corners; i++) {
    const a = turn(i, corners), b = turn((i + 1) % corners, corners);
    const at = (p, z) => m.vertex([...p, z], [...p, 0]);
    m.quad(at(a, -1), at(b, -1), at(b, 1), at(a, 1));
    for (const z of [-1, 1]) {
      const n = [0, 0, z], c = m.vertex(n, n), p = m.vertex([...a, z], n), q = m.vertex([...b, z], n);
      m.indices.push(c, ...(z > 0 ? [p, q] : [q, p]));
    }
  }
  return m;
}

// ball is a sphere, or with apart two halves that a wall joins.
function ball(corners, apart) {
  const m = new Mesh(), rings = Math.ceil(corners / 4), rows = [];
  const row = (k, shift) => {
    const latitude = k * Math.PI / 2 / rings, c = Math.cos(latitude), s = Math.sin(latitude), r = [];
    for (let i = 0; i < corners; i++) {
      const p = turn(i, corners), n = [c * p[0], c * p[1], s];
      r.push(m.vertex(n, n, apart ? shift : 0));
    }
    rows.push(r);
  };
  for (let k = -rings; k <= 0; k++) row(k, -1);
  for (let k = apart ? 0 : 1; k <= rings; k++) row(k, 1);
  for (let k = 0; k + 1 < rows.length; k++) {
    for (let i = 0; i < corners; i++) {
      const j = (i + 1) % corners;
      m.quad(rows[k][i], rows[k][j], rows[k + 1][j], rows[k + 1][i]);
    }
  }
  return m;
}

// cone points along z from −1 to 1; for arrows.
export function cone(corners) {
  const m = new Mesh(), tip = [0, 0, 1];
  for (let i = 0; i < corners; i++) {
    const a = turn(i, corners), b = turn((i + 1) % corners, corners);
    m.indices.push(m.vertex([...a, -1], [...a, 0]), m.vertex([...b, -1], [...b, 0]), m.vertex(tip, [...a, 0]));
    const n = [0, 0, -1];
    m.indices.push(m.vertex(n, n), m.vertex([...b, -1], n), m.vertex([...a, -1], n));
  }
  return m;
}

// solids are the kinds of shapes that have one mesh for all sizes. round: a size is a radius in all directions, and the shift makes the length. extent: the half height
// of the box that stands for a small one, as parts of size z and x.
export const solids = [{ kind: 'box', round: false, extent: [1, 0] }, { kind: 'sphere', round: true, extent: [0, 0.85] }, { kind: 'cylinder', round: false, extent: [1, 0] },
  { kind: 'capsule', round: true, extent: [1, 0.8] }];

// Parts of coils and dashpots, as in package scene.
const turns = 8, end = 0.82, ramp = 0.5, wire = 0.16, from = -0.6, to = 0.3, pot = 0.5, potRod = 0.2;

// looks of links are line, coil, dashpot and strut, a spring around a damper. round as of solids.
export const looks = [{ round: false, spring: false, damper: false }, { round: true, spring: true, damper: false }, { round: true, spring: false, damper: true }, { round: true, spring: true, damper: true }];

// rod adds a cylinder along z whose ends are at shifts.
function rod(m, a, b, radius, corners) {
  const c = cylinder(corners), first = m.vertices.length / 7;
  for (let i = 0; i < c.vertices.length; i += 7) {
    const [x, y, z, ...n] = c.vertices.slice(i, i + 6);
    m.vertex([radius * x, radius * y, 0], n, a + (z + 1) / 2 * (b - a));
  }
  m.indices.push(...c.indices.map((k) => first + k));
}

// links is the mesh of a look, of radius one. Vertices of the damper have a shift of 4 more, which tells their colour.
export function linkMesh(look, small) {
  const m = new Mesh(), { spring, damper } = looks[look];
  if (!spring && !damper) return cylinder(small ? 10 : 28);
  if (spring) {
    const steps = turns * (small ? 10 : 18), sides = small ? 3 : 6;
    for (let k = 0; k <= steps; k++) {
      const part = k / steps, c = Math.cos(2 * Math.PI * turns * part), s = Math.sin(2 * Math.PI * turns * part), r = Math.min(1, part * turns / ramp, (1 - part) * turns / ramp);
      for (let i = 0; i < sides; i++) {
        const [x, z] = turn(i, sides);
        m.vertex([(r + wire * x) * c, (r + wire * x) * s, wire * z], [x * c, x * s, z], end * (2 * part - 1));
      }
    }
    for (let k = 0; k < steps; k++) {
      for (let i = 0; i < sides; i++) {
        const j = (i + 1) % sides;
        m.quad(k * sides + i, (k + 1) * sides + i, (k + 1) * sides + j, k * sides + j);
      }
    }
    rod(m, -1, -end, wire, small ? 4 : 8);
    rod(m, end, 1, wire, small ? 4 : 8);
  }
  if (damper) {
    const begin = m.vertices.length;
    rod(m, from, to, pot, small ? 8 : 20);
    rod(m, -1, from, potRod, small ? 4 : 8);
    rod(m, to, 1, potRod, small ? 4 : 8);
    for (let i = begin; i < m.vertices.length; i += 7) m.vertices[i + 6] += 4;
  }
  return m;
}

// meshes are those of the solids. What is small in the picture gets fewer corners.
export function meshes(small) {
  const corners = small ? 8 : 20;
  return [box(), ball(corners, false), cylinder(small ? 10 : 28), ball(corners, true)];
}
