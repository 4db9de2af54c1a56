// What is laid over the picture: arrows, and colours that mark joints and bodies.

import { add, norm, scale } from './algebra.js';
import { describe } from './panel.js';
import { get, whole } from './source.js';
import { $, fail, page, poseOf, rateOf } from './state.js';

// arrows shows velocities, reactions or the forces of contacts, springs and drives at the row; moments are brown. The longest of each is as long as a usual body.
export async function arrows() {
  const { arrows: kind, head } = page, { row } = page.shown, data = [];
  const line = (p, d, color) => {
    if (!(norm(d) > 0)) return;
    data.push(...p, -1, ...add(p, d), -1, 0.03 * head.unit, ...color, -1, -1);
  };
  try {
    if (kind === 'velocity') {
      const n = head.bodies;
      let most = 0;
      for (let i = 0; i < n; i++) most = Math.max(most, norm(rateOf(i)));
      for (let i = 0; i < n && most > 0; i++) line(poseOf(i).slice(0, 3), scale(rateOf(i), head.unit / most), [0.1, 0.55, 0.2]);
    } else if (kind === 'reactions') {
      const w = new Float32Array(await get('reactions', { row }));
      if (row !== page.shown.row || page.arrows !== kind) return;
      page.reactions = w;
      page.reactionsRow = row;
      let most = 0;
      for (let j = 0; j < head.joints; j++) most = Math.max(most, norm(w.subarray(9 * j + 3, 9 * j + 6)) || 0);
      for (let j = 0; j < head.joints && most > 0; j++) line([...w.subarray(9 * j, 9 * j + 3)], scale(w.subarray(9 * j + 3, 9 * j + 6), head.unit / most), [0.85, 0.1, 0.5]);
      if (page.chosen) describe();
    } else if (kind === 'forces') {
      const w = new Float32Array(await get('forces', { row })), most = [0, 0], colors = [[0.1, 0.35, 0.85], [0.75, 0.45, 0.05]];
      if (row !== page.shown.row || page.arrows !== kind) return;
      const each = (f) => { for (let k = 0; k < w.length; k += 7) f(w.subarray(k, k + 3), w.subarray(k + 3, k + 6), w[k + 6]); };
      each((p, f, moment) => { most[moment] = Math.max(most[moment], norm(f) || 0); });
      each((p, f, moment) => line([...p], scale(f, head.unit / most[moment]), colors[moment]));
      page.forces = w;
    }
    page.drawing.setArrows(new Float32Array(data));
    page.dirty = true;
  } catch (err) { fail(err); }
}

// redundant marks joints with redundant rows, and those with reactions that are not unique.
export async function redundant(on) {
  if (!on) {
    page.drawing.paint(null);
    page.dirty = true;
    return;
  }
  try {
    const row = whole ? 0 : page.shown.row; // a file has the report of its first row
    page.report = await get('report', { as: 'json', row });
    if (page.report.error) throw new Error(page.report.error);
    const loose = new Set(page.report.undetermined);
    page.drawing.paint((body, joint) => {
      if (joint < 0) return [0.72, 0.74, 0.77];
      if (page.report.redundant[joint] > 0) return [0.9, 0.1, 0.1];
      return loose.has(joint) ? [0.95, 0.6, 0.1] : [0.2, 0.6, 0.3];
    });
    const of = whole && page.head.rows > 1 ? ' in the first row' : '';
    $('counts').textContent = `${page.head.bodies} bodies, ${page.head.joints} joints, mobility ${page.report.mobility}, ${page.report.rows - page.report.rank} redundant rows${of}`;
    describe();
    page.dirty = true;
  } catch (err) { fail(err); }
}

// loops colours the clusters of loops, or with a choice the shortest loop through that.
export async function loops(on) {
  if (!on) {
    page.drawing.paint(null);
    page.dirty = true;
    return;
  }
  try {
    page.clusters ??= new Int32Array(await get('clusters'));
    const c = page.chosen, of = c && (c.joint >= 0 ? loopOfJoint(c.joint) : c.body >= 0 ? loopOfBody(c.body) : null), t = page.joints;
    const grey = [0.72, 0.74, 0.77], body = new Int32Array(page.head.bodies).fill(-1);
    for (let j = page.head.joints - 1; j >= 0; j--) {
      for (const b of [t[3 * j + 1], t[3 * j + 2]]) if (b >= 0 && page.clusters[j] >= 0) body[b] = page.clusters[j];
    }
    const hue = (k) => { // neighbours in number are far apart in hue
      const at = (s) => 0.5 + 0.4 * Math.cos(2 * Math.PI * (k * 0.618 + 0.4 + s));
      return k < 0 ? grey : [at(0), at(1 / 3), at(2 / 3)];
    };
    page.loop = of ? [...of.joints].sort((a, b) => a - b) : null;
    if (c) page.drawing.paint((b, j) => (of && (j >= 0 ? of.joints.has(j) : of.bodies.has(b)) ? [0.9, 0.35, 0.05] : grey));
    else page.drawing.paint((b, j) => hue(j >= 0 ? page.clusters[j] : b >= 0 ? body[b] : -1));
    page.dirty = true;
  } catch (err) { fail(err); }
}

// graph lists the joints of each body, the world last.
function graph() {
  if (page.graph) return page.graph;
  const n = page.head.bodies, t = page.joints, first = new Int32Array(n + 2), node = (b) => (b < 0 ? n : b);
  for (let j = 0; j < page.head.joints; j++) for (const b of [t[3 * j + 1], t[3 * j + 2]]) first[node(b) + 1]++;
  for (let i = 0; i <= n; i++) first[i + 1] += first[i];
  const next = first.slice(), list = new Int32Array(2 * page.head.joints);
  for (let j = 0; j < page.head.joints; j++) for (const b of [t[3 * j + 1], t[3 * j + 2]]) list[next[node(b)]++] = j;
  page.graph = { n, first, list, node };
  return page.graph;
}

// loopOfJoint returns the shortest loop through a joint, null if there is none: the shortest way from one of its bodies to the other without it.
export function loopOfJoint(joint) {
  const { n, first, list, node } = graph(), t = page.joints, from = node(t[3 * joint + 1]), to = node(t[3 * joint + 2]);
  if (page.clusters[joint] < 0) return null;
  const by = new Int32Array(n + 1).fill(-1), queue = [from];
  by[from] = -2;
  for (let q = 0; q < queue.length && by[to] === -1; q++) {
    const at = queue[q];
    for (let k = first[at]; k < first[at + 1]; k++) {
      const j = list[k], a = node(t[3 * j + 1]), b = node(t[3 * j + 2]), other = a === at ? b : a;
      if (j === joint || by[other] !== -1) continue;
      by[other] = j;
      queue.push(other);
    }
  }
  if (by[to] === -1) return null;
  const joints = new Set([joint]), bodies = new Set([from]);
  for (let at = to; at !== from;) {
    bodies.add(at);
    joints.add(by[at]);
    const a = node(t[3 * by[at] + 1]), b = node(t[3 * by[at] + 2]);
    at = a === at ? b : a;
  }
  bodies.delete(n);
  return { joints, bodies };
}

// loopOfBody returns the shortest loop through a body.
function loopOfBody(body) {
  const { first, list } = graph();
  let best = null;
  for (let k = first[body]; k < Math.min(first[body + 1], first[body] + 64); k++) {
    const l = loopOfJoint(list[k]);
    if (l && (!best || l.joints.size < best.joints.size)) best = l;
  }
  return best;
}
