// How finely things are drawn: by how many pixels they cover. Things that are neighbours in number are looked at together, in some thousand groups at most, so that
// choosing takes a fraction of a millisecond whatever the number of things.

export const FINE = 0, COARSE = 1, BOX = 2, LINE = 3, POINT = 4, HIDDEN = -1;

const mostGroups = 2048;

// mostVertices is what a picture may have before everything in it is drawn more coarsely.
const mostVertices = 2e6;

// Levels chooses for things that are held by one body each, or by two.
export class Levels {
  // kinds: how many things of each kind there are, and the vertices of each level. things: bodies (−1: the world), places of
  // those in the world (three numbers a body), reach beyond the middle of the body, thickness and length; without lengths they are as long as their bodies are apart.
  constructor(kinds, things) {
    this.things = things;
    const n = things.reach.length, size = Math.max(1, Math.ceil(n / (mostGroups - kinds.length)));
    this.groups = [];
    let first = 0;
    kinds.forEach(({ count, vertices }, kind) => {
      for (let at = first; at < first + count; at += size) this.groups.push({ kind, vertices, first: at, count: Math.min(size, first + count - at) });
      first += count;
    });
    const m = this.groups.length;
    this.balls = new Float32Array(4 * m);
    this.reach = new Float32Array(m);
    this.long = new Float32Array(m);
    this.thick = new Float32Array(m);
    this.levels = new Int8Array(m).fill(HIDDEN);
    this.groups.forEach((g, k) => {
      for (let i = g.first; i < g.first + g.count; i++) {
        this.reach[k] = Math.max(this.reach[k], things.reach[i]);
        if (things.long) this.long[k] = Math.max(this.long[k], things.long[i]);
        this.thick[k] = Math.max(this.thick[k], things.thick[i]);
      }
    });
    // Where things lie in the list of numbers that is drawn.
    this.identity = Uint32Array.from({ length: n }, (_, i) => i);
    this.list = new Uint32Array(n);
    this.fresh = true;
  }

  // move finds the ball around each group at the poses of bodies, seven numbers each.
  move(poses) {
    const { bodies, places } = this.things, ends = this.things.long ? 1 : 2;
    for (let k = 0; k < this.groups.length; k++) {
      const g = this.groups[k];
      let x0 = Infinity, y0 = Infinity, z0 = Infinity, x1 = -Infinity, y1 = -Infinity, z1 = -Infinity;
      for (let i = ends * g.first; i < ends * (g.first + g.count); i++) {
        const b = bodies[i], from = b < 0 ? places : poses, at = b < 0 ? 3 * i : 7 * b, x = from[at], y = from[at + 1], z = from[at + 2];
        if (x < x0) x0 = x;
        if (x > x1) x1 = x;
        if (y < y0) y0 = y;
        if (y > y1) y1 = y;
        if (z < z0) z0 = z;
        if (z > z1) z1 = z;
      }
      this.balls[4 * k] = (x0 + x1) / 2;
      this.balls[4 * k + 1] = (y0 + y1) / 2;
      this.balls[4 * k + 2] = (z0 + z1) / 2;
      this.balls[4 * k + 3] = Math.hypot(x1 - x0, y1 - y0, z1 - z0) / 2 + this.reach[k];
      if (!this.things.long) this.long[k] = 2 * this.balls[4 * k + 3];
    }
  }

  // choose finds the level of each group, and reports whether any is another than before.
  choose(view) {
    let changed = this.fresh, coarser = 1, vertices;
    this.fresh = false;
    const before = this.levels.slice();
    do {
      vertices = 0;
      for (let k = 0; k < this.groups.length; k++) {
        const g = this.groups[k], level = this.level(k, view, coarser);
        this.levels[k] = level;
        if (level !== HIDDEN) vertices += g.count * g.vertices[level];
      }
      coarser *= 2;
    } while (vertices > mostVertices && coarser < 1e3);
    this.vertices = vertices;
    for (let k = 0; k < before.length && !changed; k++) changed = before[k] !== this.levels[k];
    return changed;
  }

  level(k, view, coarser) {
    const b = this.balls, r = b[4 * k + 3], [x, y, z] = view.eye;
    const dx = b[4 * k] - x, dy = b[4 * k + 1] - y, dz = b[4 * k + 2] - z;
    const depth = -(dx * view.back[0] + dy * view.back[1] + dz * view.back[2]);
    const across = Math.abs(dx * view.right[0] + dy * view.right[1] + dz * view.right[2]), up = Math.abs(dx * view.up[0] + dy * view.up[1] + dz * view.up[2]);
    // Outside of the four planes through the eye and the edges of the picture.
    if (depth < -r || across * view.cosine[0] - depth * view.sine[0] > r || up * view.cosine[1] - depth * view.sine[1] > r) return HIDDEN;
    const scale = view.pixels / Math.max(depth - r, 1e-9 * view.distance) / coarser;
    const long = this.long[k] * scale, thick = this.thick[k] * scale;
    if (long < 2.5) return POINT;
    if (thick < 1.3) return LINE;
    if (thick < 5) return BOX;
    return thick < 16 ? COARSE : FINE;
  }

  // sort puts the numbers of things into list, those of one bucket together, and returns where each bucket begins; the last entry is the end.
  // bucket says which is that of a kind and a level.
  sort(buckets, bucket) {
    const first = new Int32Array(buckets + 1);
    for (let k = 0; k < this.groups.length; k++) if (this.levels[k] !== HIDDEN) first[bucket(this.groups[k].kind, this.levels[k]) + 1] += this.groups[k].count;
    for (let i = 0; i < buckets; i++) first[i + 1] += first[i];
    const next = first.slice();
    for (let k = 0; k < this.groups.length; k++) {
      const g = this.groups[k];
      if (this.levels[k] === HIDDEN) continue;
      const b = bucket(g.kind, this.levels[k]);
      if (g.count < 8) for (let i = 0; i < g.count; i++) this.list[next[b] + i] = g.first + i;
      else this.list.set(this.identity.subarray(g.first, g.first + g.count), next[b]);
      next[b] += g.count;
    }
    return first;
  }
}
