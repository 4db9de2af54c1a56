// How finely things are drawn: by how many pixels they cover. Things that are neighbours in number are looked at together, in some thousand groups at most, so that
// choosing takes a fraction of a millisecond whatever the number of things. It allocates nothing.

export const FINE = 0, COARSE = 1, BOX = 2, LINE = 3, POINT = 4, HIDDEN = -1;

const mostGroups = 1024;

// mostVertices is what a picture may have before everything in it is drawn more coarsely.
const mostVertices = 2e6;

// Levels chooses for things that are held by one body each, or by two.
export class Levels {
  // kinds: how many things of each kind there are, and the vertices of each level. things: bodies (−1: the world), places of
  // those in the world (three numbers a body), reach beyond the middle of the body, thickness and length; without lengths they are as long as their bodies are apart.
  constructor(kinds, things) {
    const n = things.reach.length, size = Math.max(1, Math.ceil(n / (mostGroups - kinds.length)));
    const list = [];
    let first = 0;
    kinds.forEach(({ count }, kind) => {
      for (let at = first; at < first + count; at += size) list.push([kind, at, Math.min(size, first + count - at)]);
      first += count;
    });
    const m = this.count = list.length;
    this.kinds = Int32Array.from(list, (g) => g[0]);
    this.firsts = Int32Array.from(list, (g) => g[1]);
    this.counts = Int32Array.from(list, (g) => g[2]);
    this.vertices = Int32Array.from(kinds.flatMap((k) => k.vertices)); // five levels a kind
    this.reach = new Float32Array(m);
    this.long = things.long ? new Float32Array(m) : null;
    this.thick = new Float32Array(m);
    for (let k = 0; k < m; k++) {
      for (let i = this.firsts[k]; i < this.firsts[k] + this.counts[k]; i++) {
        this.reach[k] = Math.max(this.reach[k], things.reach[i]);
        if (things.long) this.long[k] = Math.max(this.long[k], things.long[i]);
        this.thick[k] = Math.max(this.thick[k], things.thick[i]);
      }
    }
    // The worker finds the ball around each group; only it needs to know where things are.
    this.told = { firsts: this.firsts, counts: this.counts, reach: this.reach, bodies: things.bodies, places: things.places, ends: things.long ? 1 : 2 };
    this.memory = [things.bodies, things.places];
    this.balls = null;
    this.between = new Float32Array(4 * m);
    this.levels = new Int8Array(m).fill(HIDDEN);
    this.before = new Int8Array(m);
    this.lengths = new Float32Array(m); // in pixels; −1 of what is not in the picture
    this.widths = new Float32Array(m);
    this.fresh = true;
  }

  // move takes the balls of a frame, or of the two between which is shown: then those that hold a ball of each.
  move(from, to) {
    if (to === from) {
      this.balls = from;
      return;
    }
    const out = this.balls = this.between;
    for (let at = 0; at < out.length; at += 4) {
      const x = to[at] - from[at], y = to[at + 1] - from[at + 1], z = to[at + 2] - from[at + 2];
      out[at] = from[at] + x / 2;
      out[at + 1] = from[at + 1] + y / 2;
      out[at + 2] = from[at + 2] + z / 2;
      out[at + 3] = Math.sqrt(x * x + y * y + z * z) / 2 + Math.max(from[at + 3], to[at + 3]);
    }
  }

  // choose finds the level of each group, and reports whether any is another than before.
  choose(view) {
    const m = this.count, { before } = this, levels = this.before;
    this.before = this.levels;
    this.levels = levels;
    this.measure(view);
    let vertices, coarser = 1;
    do {
      vertices = 0;
      for (let k = 0; k < m; k++) {
        const level = levels[k] = levelOf(this.lengths[k] / coarser, this.widths[k] / coarser);
        if (level !== HIDDEN) vertices += this.counts[k] * this.vertices[5 * this.kinds[k] + level];
      }
      coarser *= 2;
    } while (vertices > mostVertices && coarser < 1e3);
    let changed = this.fresh;
    this.fresh = false;
    for (let k = 0; k < m && !changed; k++) changed = this.before[k] !== levels[k];
    return changed;
  }

  // measure finds how long and how wide the nearest of each group may be in the picture.
  measure(view) {
    const { balls, lengths, widths, thick, long } = this, [ex, ey, ez] = view.eye, [bx, by, bz] = view.back, [rx, ry, rz] = view.right, [ux, uy, uz] = view.up;
    const [cx, cy] = view.cosine, [sx, sy] = view.sine, least = 1e-9 * view.distance;
    for (let k = 0; k < this.count; k++) {
      const r = balls[4 * k + 3], x = balls[4 * k] - ex, y = balls[4 * k + 1] - ey, z = balls[4 * k + 2] - ez;
      const depth = -(x * bx + y * by + z * bz), across = Math.abs(x * rx + y * ry + z * rz), up = Math.abs(x * ux + y * uy + z * uz);
      // Outside of the four planes through the eye and the edges of the picture.
      if (depth < -r || across * cx - depth * sx > r || up * cy - depth * sy > r) {
        lengths[k] = -1;
        continue;
      }
      const scale = view.pixels / Math.max(depth - r, least);
      lengths[k] = (long ? long[k] : 2 * r) * scale;
      widths[k] = thick[k] * scale;
    }
  }
}

// levelOf is the level of what is so long and wide, in pixels.
function levelOf(long, wide) {
  if (long < 0) return HIDDEN;
  if (long < 2.5) return POINT;
  if (wide < 1.3) return LINE;
  if (wide < 5) return BOX;
  return wide < 16 ? COARSE : FINE;
}

// Order is the list of the numbers of things as they are drawn, those of one bucket together.
export class Order {
  // bucketOf says which is that of a kind and a level, five a kind.
  constructor(levels, bucketOf, buckets) {
    this.levels = levels;
    this.bucketOf = bucketOf;
    let n = 0;
    for (let k = 0; k < levels.count; k++) n += levels.counts[k];
    this.list = new Uint32Array(n);
    this.identity = Uint32Array.from({ length: n }, (_, i) => i);
    this.first = new Int32Array(buckets + 1); // where each bucket begins; the last entry is the end
    this.next = new Int32Array(buckets);
  }

  // sort fills the list and first.
  sort() {
    const { first, next, list, identity, bucketOf } = this, { levels, kinds, firsts, counts, count } = this.levels;
    first.fill(0);
    for (let k = 0; k < count; k++) if (levels[k] !== HIDDEN) first[bucketOf[5 * kinds[k] + levels[k]] + 1] += counts[k];
    for (let i = 0; i < next.length; i++) {
      first[i + 1] += first[i];
      next[i] = first[i];
    }
    for (let k = 0; k < count;) { // runs of groups in one bucket
      const level = levels[k], begin = k;
      if (level === HIDDEN) {
        k++;
        continue;
      }
      const b = bucketOf[5 * kinds[k] + level];
      let n = 0;
      while (k < count && levels[k] !== HIDDEN && bucketOf[5 * kinds[k] + levels[k]] === b) n += counts[k++];
      const from = firsts[begin];
      if (n < 64) for (let i = 0; i < n; i++) list[next[b] + i] = from + i;
      else list.set(identity.subarray(from, from + n), next[b]);
      next[b] += n;
    }
  }
}
