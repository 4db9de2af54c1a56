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

function box() {
  const m = new Mesh();
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

// meshes are those of the kinds box, sphere, cylinder, capsule. Many shapes get fewer corners each.
export function meshes(many) {
  const corners = many ? 4 : 20;
  return [box(), ball(corners, false), cylinder(many ? 4 : 28), ball(corners, true)];
}
