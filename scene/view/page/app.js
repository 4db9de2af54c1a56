// The page: it loads the scene, keeps the time, and answers to mouse, fingers and keys.

import { Camera, add, norm, rotate, scale } from './algebra.js';
import { Chart } from './chart.js';
import { Drawing } from './drawing.js';

const $ = (id) => document.getElementById(id);
const canvas = $('view');
const state = { row: 0, time: 0, playing: false, speed: 1, frames: new Map(), waiting: new Set(), chosen: null, charts: [], dirty: true, arrows: null, follow: false, cost: 0 };
let head, drawing, camera, live;

// What tests read.
window.rung = { state, rotate, get drawing() { return drawing; }, get head() { return head; }, get camera() { return camera; }, get live() { return live; }, pose: (i) => [...shown().subarray(7 * i, 7 * i + 7)], project };

async function get(path, as = 'arrayBuffer') {
  const r = await fetch(path);
  if (!r.ok) throw new Error(`${path}: ${(await r.text()).trim()}`);
  return r[as]();
}

function fail(err) {
  $('message').textContent = err.message;
  $('message').hidden = false;
}

async function start() {
  head = await get('scene.json', 'json');
  const [shapes, links, frame] = await Promise.all([get('shapes'), get('links'), get('frame?row=0')]);
  keep(0, frame);
  camera = new Camera(head.radius);
  const surfaces = await Promise.all(head.shapes.slice(4).map((_, k) => get(`mesh?row=${k}`)));
  drawing = new Drawing(canvas, head, new Float32Array(shapes), new Float32Array(links), surfaces.map((b) => new Float32Array(b)));
  for (let k = 0; k < head.terrains; k++) drawing.ground(new Float32Array(await get(`terrain?row=${k}`)));
  $('name').textContent = head.name || 'mechanism';
  document.title = `${head.name || 'mechanism'} – Rung`;
  $('counts').textContent = `${head.bodies.length} bodies, ${head.joints.length} joints`;
  const list = document.createDocumentFragment(), most = 2000;
  for (const n of [...head.bodies.slice(0, most), ...head.joints.slice(0, most).map((j) => j.name)]) list.append(new Option(n, n));
  $('names').append(list);
  if (head.times) timeline();
  if (!head.solves) document.querySelectorAll('[data-key=r], [data-key=d]').forEach((b) => { b.hidden = true; });
  resize();
  camera.fit(canvas.width / canvas.height);
  requestAnimationFrame(tick);
  if (head.live) await play();
  window.rung.ready = true;
}

// play loads what a mechanism needs that the program moves.
async function play() {
  const { Live } = await import('./live.js');
  let told = 0;
  live = new Live({ head, drawing, fail, camera: () => camera, changed: () => { state.dirty = true; }, pose: (i) => [...shown().subarray(7 * i, 7 * i + 7)], keep(buffer) {
    keep(0, buffer);
    state.time = state.frames.get(0).time;
    state.dirty = true;
    const now = performance.now();
    if (now - told < 150) return;
    told = now;
    if (state.arrows) arrows();
    if (state.chosen) describe();
  } });
}

// keep stores a frame: time, seven numbers a body, then six of velocities.
function keep(row, buffer) {
  const n = head.bodies.length, all = new Float32Array(buffer, 8);
  state.frames.set(row, { time: new Float64Array(buffer.slice(0, 8))[0], poses: all.subarray(0, 7 * n), rates: all.subarray(7 * n) });
  const most = Math.max(4, Math.min(1000, Math.floor(128e6 / buffer.byteLength)));
  for (const old of state.frames.keys()) { // the first is the oldest
    if (state.frames.size <= most) break;
    if (old !== row && old !== state.row && old !== state.row + 1) state.frames.delete(old);
  }
}

// want loads a row, once.
function want(row) {
  if (!head.times || row < 0 || row >= head.times.length || state.frames.has(row) || state.waiting.has(row)) return;
  state.waiting.add(row);
  get(`frame?row=${row}`).then((b) => { keep(row, b); state.dirty = true; }, fail).finally(() => state.waiting.delete(row));
}

const shown = () => (state.frames.get(state.row) ?? state.last).poses;

// rowAt returns the last row whose time is not after t.
function rowAt(t) {
  let lo = 0, hi = head.times.length - 1;
  while (lo < hi) {
    const mid = (lo + hi + 1) >> 1;
    if (head.times[mid] <= t) lo = mid; else hi = mid - 1;
  }
  return lo;
}

function seek(t) {
  const first = head.times[0], last = head.times[head.times.length - 1];
  state.time = Math.max(first, Math.min(last, t));
  const row = rowAt(state.time);
  if (row !== state.row) {
    state.row = row;
    if (state.arrows) arrows();
  }
  $('scrub').value = row;
  $('clock').textContent = `${state.time.toFixed(3)} s`;
  for (const c of state.charts) { c.time = state.time; c.draw(); }
  if (state.chosen) describe();
  state.dirty = true;
}

let before = 0;
function tick(now) {
  const begin = performance.now();
  if (state.dirty && live) live.viewed();
  if (state.playing) {
    const last = head.times[head.times.length - 1];
    let t = state.time + (now - before) / 1000 * state.speed;
    if (t > last) t = head.times[0];
    const row = rowAt(t);
    for (let k = 0; k < 8; k++) want(row + k);
    if (state.frames.has(row)) seek(t); // else the picture waits for its frame
  }
  before = now;
  if (state.dirty) {
    state.dirty = false;
    draw();
    state.cost = performance.now() - begin;
  }
  requestAnimationFrame(tick);
}

function draw() {
  const from = state.frames.get(state.row) ?? state.last, to = state.frames.get(state.row + 1) ?? from;
  if (!state.frames.has(state.row)) want(state.row);
  state.last = from;
  const part = to === from ? 0 : (state.time - from.time) / (to.time - from.time);
  drawing.poses(from.poses, to.poses, Math.max(0, Math.min(1, part)));
  if (state.follow && state.chosen && state.chosen.body >= 0) {
    const i = 7 * state.chosen.body;
    camera.target = [0, 1, 2].map((k) => from.poses[i + k] + part * (to.poses[i + k] - from.poses[i + k]));
  }
  drawing.options.body = state.chosen ? state.chosen.body : -1;
  drawing.options.joint = state.chosen ? state.chosen.joint : -1;
  const dark = document.documentElement.dataset.theme === 'dark';
  drawing.draw(camera, dark ? [0.078, 0.094, 0.118] : [0.965, 0.969, 0.976]);
}

// project returns the pixel of the window where a point is that is relative to the middle.
function project(p) {
  const m = camera.matrix(canvas.width / canvas.height), q = [0, 1, 2, 3].map((r) => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
  const r = canvas.getBoundingClientRect();
  return [r.left + (q[0] / q[3] + 1) / 2 * r.width, r.top + (1 - q[1] / q[3]) / 2 * r.height];
}

function resize() {
  const ratio = window.devicePixelRatio, w = Math.max(1, Math.round(canvas.clientWidth * ratio)), h = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    if (!camera.zoomed) camera.fit(w / h);
  }
  state.charts.forEach((c) => c.draw());
  state.dirty = true;
}
new ResizeObserver(() => { if (drawing) resize(); }).observe(canvas);

// timeline shows the controls of a trajectory.
function timeline() {
  $('timeline').hidden = false;
  $('charts').hidden = false;
  $('scrub').max = head.times.length - 1;
  $('scrub').addEventListener('input', () => seek(head.times[Number($('scrub').value)]));
  $('play').addEventListener('click', () => key(' '));
  $('back').addEventListener('click', () => key(','));
  $('next').addEventListener('click', () => key('.'));
  $('speed').addEventListener('change', () => { state.speed = Number($('speed').value); });
  const columns = head.columns.filter((c) => c !== 'time');
  $('column').append(new Option('choose a column', ''), ...columns.slice(0, 5000).map((c) => new Option(c, c)));
  $('column').addEventListener('change', () => { if ($('column').value) chart($('column').value); });
  for (const c of ['energy.kinetic', 'drift.position']) if (columns.includes(c)) chart(c);
  state.time = head.times[0];
  seek(state.time);
}

async function chart(column) {
  try {
    const data = new Float64Array(await get(`series?column=${encodeURIComponent(column)}`));
    const h = document.createElement('h3'), c = document.createElement('canvas');
    h.textContent = column;
    h.title = 'click: remove';
    $('curves').append(h, c);
    const made = new Chart(c, data, seek);
    made.time = state.time;
    state.charts.push(made);
    h.addEventListener('click', () => {
      h.remove();
      c.remove();
      state.charts = state.charts.filter((x) => x !== made);
    });
    made.draw();
  } catch (err) { fail(err); }
}

// choose selects a body or a joint.
function choose(what) {
  state.chosen = what && (what.body >= 0 || what.joint >= 0 || what.force >= 0) ? what : null;
  if (state.chosen && what.joint >= 0) state.chosen = { ...what, body: -1 };
  describe();
  state.dirty = true;
}

const digits = (x) => (Number.isFinite(x) ? Number(x.toPrecision(6)).toString() : 'none');
const list = (v) => [...v].map(digits).join(', ');

function describe() {
  const box = $('chosen'), c = state.chosen;
  if (live && c && c.joint >= 0 && box.contains(document.activeElement) && document.activeElement.className === 'drive') return; // a slider is in the hand
  box.replaceChildren();
  if (!c) return;
  const title = document.createElement('h2'), facts = document.createElement('dl');
  const fact = (name, value) => {
    const dt = document.createElement('dt'), dd = document.createElement('dd');
    dt.textContent = name;
    dd.textContent = value;
    facts.append(dt, dd);
  };
  box.append(title, facts);
  const f = state.frames.get(state.row) ?? state.last;
  if (c.joint >= 0) {
    const j = head.joints[c.joint], name = (b) => (b < 0 ? 'world' : head.bodies[b]);
    title.textContent = j.name;
    fact('joint', j.type);
    fact('from', name(j.pred));
    fact('to', name(j.succ));
    if (state.report) fact('redundant', `${state.report.redundant[c.joint]} rows${state.report.undetermined.includes(c.joint) ? ', reaction not unique' : ''}`);
    if (state.reactions && state.reactionsRow === state.row) {
      const w = state.reactions.subarray(9 * c.joint, 9 * c.joint + 9);
      fact('force', `${list(w.subarray(3, 6))} N`);
      fact('moment', `${list(w.subarray(6, 9))} N m`);
    }
    if (live) live.describe(box, c.joint);
    return;
  }
  if (c.force >= 0) {
    title.textContent = head.forces[c.force];
    fact('force element', '');
    return;
  }
  title.textContent = head.bodies[c.body];
  const p = f.poses.subarray(7 * c.body, 7 * c.body + 7), v = f.rates.subarray(6 * c.body, 6 * c.body + 6);
  fact('position', `${list([0, 1, 2].map((k) => p[k] + head.center[k]))} m`);
  fact('orientation', `${list([p[6], p[3], p[4], p[5]])} (w x y z)`);
  fact('velocity', `${list(v.subarray(0, 3))} m/s`);
  fact('turning', `${list(v.subarray(3, 6))} rad/s`);
  const ul = document.createElement('ul');
  head.joints.forEach((j, k) => {
    if (j.pred !== c.body && j.succ !== c.body || ul.children.length >= 50) return;
    const li = document.createElement('li'), b = document.createElement('button');
    b.textContent = `${j.name} (${j.type})`;
    b.addEventListener('click', () => choose({ body: -1, joint: k, force: -1 }));
    li.append(b);
    ul.append(li);
  });
  box.append(ul);
}

$('search').addEventListener('change', () => {
  const text = $('search').value, low = text.toLowerCase();
  const find = (names) => { const i = names.indexOf(text); return i >= 0 ? i : names.findIndex((n) => n.toLowerCase().includes(low)); };
  const body = find(head.bodies), joint = find(head.joints.map((j) => j.name));
  if (!text) choose(null);
  else if (body >= 0) choose({ body, joint: -1, force: -1 });
  else if (joint >= 0) choose({ body: -1, joint, force: -1 });
});

// arrows shows velocities or reactions of the row.
async function arrows() {
  const row = state.row, kind = state.arrows;
  try {
    const data = [];
    const line = (p, d, color) => {
      if (!(norm(d) > 0)) return;
      const q = add(p, d);
      data.push(...p, -1, ...q, -1, 0.03 * head.unit, ...color, -1, -1);
    };
    if (kind === 'velocity') {
      const f = state.frames.get(row) ?? state.last, n = head.bodies.length;
      let most = 0;
      for (let i = 0; i < n; i++) most = Math.max(most, norm(f.rates.subarray(6 * i, 6 * i + 3)));
      for (let i = 0; i < n && most > 0; i++) line([...f.poses.subarray(7 * i, 7 * i + 3)], scale(f.rates.subarray(6 * i, 6 * i + 3), head.unit / most), [0.1, 0.55, 0.2]);
    } else if (kind === 'reactions') {
      const w = new Float32Array(await get(`reactions?row=${row}`));
      if (row !== state.row || state.arrows !== kind) return;
      state.reactions = w;
      state.reactionsRow = row;
      let most = 0;
      for (let j = 0; j < head.joints.length; j++) most = Math.max(most, norm(w.subarray(9 * j + 3, 9 * j + 6)) || 0);
      for (let j = 0; j < head.joints.length && most > 0; j++) line([...w.subarray(9 * j, 9 * j + 3)], scale(w.subarray(9 * j + 3, 9 * j + 6), head.unit / most), [0.85, 0.1, 0.5]);
      if (state.chosen) describe();
    }
    drawing.setArrows(new Float32Array(data));
    state.dirty = true;
  } catch (err) { fail(err); }
}

async function redundant(on) {
  if (!on) {
    drawing.paint(null);
    state.dirty = true;
    return;
  }
  try {
    state.report = await get(`report?row=${state.row}`, 'json');
    if (state.report.error) throw new Error(state.report.error);
    const loose = new Set(state.report.undetermined);
    drawing.paint((body, joint) => {
      if (joint < 0) return [0.72, 0.74, 0.77];
      if (state.report.redundant[joint] > 0) return [0.9, 0.1, 0.1];
      return loose.has(joint) ? [0.95, 0.6, 0.1] : [0.2, 0.6, 0.3];
    });
    $('counts').textContent = `${head.bodies.length} bodies, ${head.joints.length} joints, mobility ${state.report.mobility}, ${state.report.rows - state.report.rank} redundant rows`;
    describe();
    state.dirty = true;
  } catch (err) { fail(err); }
}

function pressed(name, value) {
  const b = document.querySelector(`[data-key="${name}"]`);
  if (value === undefined) return b.getAttribute('aria-pressed') === 'true';
  b.setAttribute('aria-pressed', String(value));
  return value;
}

function save(url, name) {
  const a = document.createElement('a');
  a.href = url;
  a.download = name;
  a.click();
}

let recorder = null;
function video() {
  if (recorder) {
    recorder.stop();
    return;
  }
  const parts = [];
  recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: 'video/webm' });
  recorder.ondataavailable = (e) => parts.push(e.data);
  recorder.onstop = () => {
    save(URL.createObjectURL(new Blob(parts, { type: 'video/webm' })), `${head.name || 'mechanism'}.webm`);
    recorder = null;
    pressed('m', false);
  };
  recorder.start();
  pressed('m', true);
}

const looks = { 1: [0, 0], 2: [-Math.PI / 2, 0], 3: [-Math.PI / 2, Math.PI / 2] };

function key(k) {
  if (live && live.key(k)) return true;
  const toggle = () => pressed(k, !pressed(k));
  switch (k) {
    case 'f': camera.target = [0, 0, 0]; camera.fit(canvas.width / canvas.height); break;
    case '1': case '2': case '3': [camera.azimuth, camera.elevation] = looks[k]; break;
    case 'j': drawing.options.joints = toggle(); break;
    case 'v': case 'r': {
      if (k === 'r' && !head.solves) return;
      const on = toggle();
      pressed(k === 'v' ? 'r' : 'v', false);
      state.arrows = on ? (k === 'v' ? 'velocity' : 'reactions') : null;
      if (on) arrows(); else drawing.setArrows(null);
      break;
    }
    case 'd': if (head.solves) redundant(toggle()); break;
    case 'o': state.follow = toggle(); break;
    case 't': document.documentElement.dataset.theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'; state.charts.forEach((c) => c.draw()); break;
    case 'p': draw(); canvas.toBlob((b) => save(URL.createObjectURL(b), `${head.name || 'mechanism'}.png`)); break;
    case 'm': video(); break;
    case 'i': $('panel').hidden = !toggle(); resize(); break;
    case ' ': if (head.times) { state.playing = !state.playing; $('play').textContent = state.playing ? '❚❚' : '▶'; } break;
    case ',': case '.': if (head.times) { state.playing = false; $('play').textContent = '▶'; seek(head.times[Math.max(0, Math.min(head.times.length - 1, state.row + (k === '.' ? 1 : -1)))]); } break;
    case 'Escape': choose(null); break;
    default: return false;
  }
  state.dirty = true;
  return true;
}

document.querySelectorAll('[data-key]').forEach((b) => b.addEventListener('click', () => key(b.dataset.key)));
document.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || ['INPUT', 'SELECT'].includes(e.target.tagName) || !drawing) return;
  if (key(e.key)) e.preventDefault();
});

// pickAt returns what is under a pointer.
function pickAt(e) {
  const r = canvas.getBoundingClientRect(), s = canvas.width / r.width;
  return drawing.pick(camera, Math.floor((e.clientX - r.left) * s), Math.floor((e.clientY - r.top) * s));
}

// Mouse and fingers: one turns, two or the right button shift, the wheel and two fingers zoom, a click chooses.
const pointers = new Map();
let moved = 0;
canvas.addEventListener('pointerdown', (e) => {
  canvas.setPointerCapture(e.pointerId);
  if (pointers.size === 0) moved = 0;
  if (live && e.button === 0 && !e.shiftKey && live.grab(e, pickAt(e))) return;
  pointers.set(e.pointerId, e);
});
canvas.addEventListener('pointermove', (e) => {
  if (live && live.drag(e)) {
    moved += Math.abs(e.movementX) + Math.abs(e.movementY);
    return;
  }
  const was = pointers.get(e.pointerId);
  if (!was || !camera) return;
  const dx = e.clientX - was.clientX, dy = e.clientY - was.clientY;
  moved += Math.abs(dx) + Math.abs(dy);
  if (pointers.size === 2) {
    const other = [...pointers.values()].find((p) => p.pointerId !== e.pointerId);
    const d0 = Math.hypot(was.clientX - other.clientX, was.clientY - other.clientY), d1 = Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY);
    if (d1 > 0) camera.zoom(d0 / d1);
    camera.shift(dx / 2, dy / 2, canvas.clientHeight);
  } else if (e.buttons & 2 || e.shiftKey) camera.shift(dx, dy, canvas.clientHeight);
  else camera.turn(dx * 0.008, dy * 0.008);
  pointers.set(e.pointerId, e);
  state.dirty = true;
});
const up = (e) => {
  const alone = pointers.size === 1, held = live && live.drop(e);
  if ((pointers.delete(e.pointerId) && alone || held) && e.type === 'pointerup' && moved < 4 && drawing) choose(pickAt(e));
};
canvas.addEventListener('pointerup', up);
canvas.addEventListener('pointercancel', up);
canvas.addEventListener('contextmenu', (e) => e.preventDefault());
canvas.addEventListener('wheel', (e) => {
  e.preventDefault();
  camera?.zoom(Math.exp(e.deltaY * 0.0012));
  state.dirty = true;
}, { passive: false });

if (window.matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.dataset.theme = 'dark';
start().catch(fail);
