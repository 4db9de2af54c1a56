// The page: it loads the scene, keeps the time, and answers to mouse, fingers and keys.

import { Camera, rotate } from './algebra.js';
import { Chart } from './chart.js';
import { Drawing } from './drawing.js';
import { arrows, loops, redundant } from './marks.js';
import { Pace } from './pace.js';
import { choose, describe, onChoice } from './panel.js';
import { solids } from './shapes.js';
import { get, whole } from './source.js';
import { $, fail, page, pressed, shown } from './state.js';

const canvas = $('view');
let head, drawing, camera, live, pace;

// What tests read.
window.rung = { state: page, rotate, get still() { return !page.dirty && pace.now === 1; }, get drawing() { return drawing; }, get live() { return live; }, get head() { return head; }, get camera() { return camera; }, pose: (i) => [...shown().poses.subarray(7 * i, 7 * i + 7)], project };

// start gets what the first picture needs, draws it, and then the rest.
async function start() {
  head = page.head = await get('scene.json', { as: 'json' });
  const [shapes, links, frame] = await Promise.all([get('shapes'), get('links'), get('frame', { row: 0 })]);
  keep(0, frame);
  camera = page.camera = new Camera(head.radius);
  const surfaces = await Promise.all(head.shapes.slice(solids.length).map((_, row) => get('mesh', { row })));
  drawing = page.drawing = new Drawing(canvas, head, new Float32Array(shapes), new Float32Array(links), surfaces.map((b) => new Float32Array(b)));
  pace = new Pace(drawing.gl);
  for (let row = 0; row < head.terrains; row++) drawing.ground(new Float32Array(await get('terrain', { row })));
  $('name').textContent = head.name || 'mechanism';
  document.title = `${head.name || 'mechanism'} – Rung`;
  $('counts').textContent = `${head.bodies} bodies, ${head.joints} joints`;
  if (!head.arrows) document.querySelector('[data-key=w]').hidden = true;
  if (!head.solves) document.querySelectorAll('[data-key=r], [data-key=d]').forEach((b) => { b.hidden = true; });
  resize();
  camera.fit(canvas.width / canvas.height);
  draw();
  page.dirty = false;
  page.drawn = performance.now(); // since the page began to load
  await details();
  requestAnimationFrame(tick);
  if (head.live) await play();
  window.rung.ready = true;
}

// play loads what a mechanism needs that the program moves. In a file there is none.
async function play() {
  const { Live } = await import('./live.js');
  let told = 0;
  live = new Live((buffer) => {
    page.time = new Float64Array(buffer, 0, 1)[0];
    keep(0, buffer, 8);
    page.dirty = true;
    const now = performance.now();
    if (now - told < 150) return;
    told = now;
    if (page.arrows) arrows();
    if (page.chosen) describe();
  });
}

// details gets what is not in the picture: names, joints, times.
async function details() {
  const [names, joints, times] = await Promise.all([get('names', { as: 'json' }), get('joints'), get('times')]);
  page.names = names;
  page.joints = new Int32Array(joints);
  const list = document.createDocumentFragment(), most = 2000;
  for (const n of [...names.bodies.slice(0, most), ...names.joints.slice(0, most)]) list.append(new Option(n, n));
  $('names').append(list);
  if (head.rows > 0) {
    page.times = new Float64Array(times);
    timeline();
  }
}

// keep stores a frame that begins at a byte: seven numbers a body, then six of velocities.
function keep(row, buffer, from = 0) {
  const n = head.bodies, all = new Float32Array(buffer, from);
  page.frames.set(row, { poses: all.subarray(0, 7 * n), rates: all.subarray(7 * n) });
  const most = Math.max(4, Math.min(1000, Math.floor(128e6 / Math.max(1, buffer.byteLength))));
  for (const old of page.frames.keys()) { // the first is the oldest
    if (page.frames.size <= most) break;
    if (old !== row && old !== page.row && old !== page.row + 1) page.frames.delete(old);
  }
}

// want loads a row, once.
function want(row) {
  if (!page.times || row < 0 || row >= page.times.length || page.frames.has(row) || page.waiting.has(row)) return;
  page.waiting.add(row);
  get('frame', { row }).then((b) => { keep(row, b); page.dirty = true; }, fail).finally(() => page.waiting.delete(row));
}

// rowAt returns the last row whose time is not after t.
function rowAt(t) {
  let lo = 0, hi = page.times.length - 1;
  while (lo < hi) {
    const mid = (lo + hi + 1) >> 1;
    if (page.times[mid] <= t) lo = mid; else hi = mid - 1;
  }
  return lo;
}

function seek(t) {
  const first = page.times[0], last = page.times[page.times.length - 1];
  page.time = Math.max(first, Math.min(last, t));
  const row = rowAt(page.time);
  if (row !== page.row) {
    page.row = row;
    if (page.arrows) arrows();
  }
  $('scrub').value = row;
  $('clock').textContent = `${page.time.toFixed(3)} s`;
  for (const c of page.charts) { c.time = page.time; c.draw(); }
  if (page.chosen) describe();
  page.dirty = true;
}

let before = 0;
function tick(now) {
  const begin = performance.now();
  if (page.dirty && live) live.viewed();
  if (page.playing) {
    const last = page.times[page.times.length - 1];
    let t = page.time + (now - before) / 1000 * page.speed;
    if (t > last) t = page.times[0];
    const row = rowAt(t);
    for (let k = 0; k < 8; k++) want(row + k);
    if (page.frames.has(row)) seek(t); // else the picture waits for its frame
  }
  before = now;
  if (pace.look(page.playing || live && live.status.running)) resize();
  if (page.dirty) {
    page.dirty = false;
    draw();
    page.cost = performance.now() - begin;
  }
  requestAnimationFrame(tick);
}

function draw() {
  const { row, frames, times } = page, from = frames.get(row) ?? page.last, to = frames.get(row + 1) ?? from;
  if (!frames.has(row)) want(row);
  page.last = from;
  const part = to === from ? 0 : (page.time - times[row]) / (times[row + 1] - times[row]);
  drawing.poses(from.poses, to.poses, Math.max(0, Math.min(1, part)));
  if (page.follow && page.chosen && page.chosen.body >= 0) {
    const i = 7 * page.chosen.body;
    camera.target = [0, 1, 2].map((k) => from.poses[i + k] + part * (to.poses[i + k] - from.poses[i + k]));
  }
  drawing.options.body = page.chosen ? page.chosen.body : -1;
  drawing.options.joint = page.chosen ? page.chosen.joint : -1;
  drawing.options.force = page.chosen ? page.chosen.force : -1;
  const dark = document.documentElement.dataset.theme === 'dark';
  drawing.draw(camera, dark ? [0.078, 0.094, 0.118] : [0.965, 0.969, 0.976]);
  pace.drawn();
}

// project returns the pixel of the window where a point is that is relative to the middle.
function project(p) {
  const m = camera.matrix(canvas.width / canvas.height), q = [0, 1, 2, 3].map((r) => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
  const r = canvas.getBoundingClientRect();
  return [r.left + (q[0] / q[3] + 1) / 2 * r.width, r.top + (1 - q[1] / q[3]) / 2 * r.height];
}

function resize() {
  const ratio = window.devicePixelRatio * pace.now, w = Math.max(1, Math.round(canvas.clientWidth * ratio)), h = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width === w && canvas.height === h) return;
  canvas.width = w;
  canvas.height = h;
  raise();
  if (!camera.zoomed) camera.fit(w / h);
  page.dirty = true;
}

// raise puts the target into the middle of what the title and the buttons leave free, and reports whether it was elsewhere.
function raise() {
  const was = camera.rise, height = canvas.clientHeight || 1, below = $('bottom').offsetHeight + 12, above = document.querySelector('header').offsetHeight + 10;
  camera.rise = Math.max(0, Math.min(0.5, (below - above) / height));
  camera.room = Math.max(0.3, 1 - (above + below) / height);
  return camera.rise !== was;
}
new ResizeObserver(() => {
  if (!drawing) return;
  resize();
  page.charts.forEach((c) => c.draw());
}).observe(canvas);
new ResizeObserver(() => {
  if (!drawing || !raise()) return;
  if (!camera.zoomed) camera.fit(canvas.width / canvas.height);
  page.dirty = true;
}).observe($('bottom'));

// Columns that a trajectory has of each body: where they are in a frame, of the poses first and then of the rates.
const ofBody = { px: [0, 0], py: [0, 1], pz: [0, 2], qw: [0, 6], qx: [0, 3], qy: [0, 4], qz: [0, 5], vx: [1, 0], vy: [1, 1], vz: [1, 2], wx: [1, 3], wy: [1, 4], wz: [1, 5] };

// timeline shows the controls of a trajectory.
function timeline() {
  $('timeline').hidden = false;
  $('charts').hidden = false;
  $('scrub').max = page.times.length - 1;
  $('scrub').addEventListener('input', () => seek(page.times[Number($('scrub').value)]));
  $('play').addEventListener('click', () => key(' '));
  $('back').addEventListener('click', () => key(','));
  $('next').addEventListener('click', () => key('.'));
  $('speed').addEventListener('change', () => { page.speed = Number($('speed').value); });
  const most = 5000, columns = head.columns.slice(0, most);
  for (const b of page.names.bodies) {
    if (columns.length >= most) break;
    for (const part of Object.keys(ofBody)) columns.push(`${b}.${part}`);
  }
  $('column').append(new Option('choose a column', ''), ...columns.map((c) => new Option(c, c)));
  $('column').addEventListener('change', () => { if ($('column').value) chart($('column').value); });
  for (const c of ['energy.kinetic', 'drift.position']) if (head.columns.includes(c)) chart(c);
  page.time = page.times[0];
  seek(page.time);
}

// curve returns pairs of time and value of a column. A file has the columns of bodies in its frames only.
async function curve(column) {
  if (!whole || head.columns.includes(column)) return new Float64Array(await get('series', { column }));
  const dot = column.lastIndexOf('.'), i = page.names.bodies.indexOf(column.slice(0, dot)), [rates, k] = ofBody[column.slice(dot + 1)];
  const out = new Float64Array(2 * page.times.length), at = rates ? 7 * head.bodies + 6 * i + k : 7 * i + k;
  for (let row = 0; row < page.times.length; row++) {
    const f = new Float32Array(await get('frame', { row }));
    out.set([page.times[row], f[at] + (!rates && k < 3 ? head.center[k] : 0)], 2 * row);
  }
  return out;
}

async function chart(column) {
  try {
    const data = await curve(column);
    const h = document.createElement('h3'), c = document.createElement('canvas');
    h.textContent = column;
    h.title = 'click: remove';
    $('curves').append(h, c);
    const made = new Chart(c, data, seek);
    made.time = page.time;
    page.charts.push(made);
    h.addEventListener('click', () => {
      h.remove();
      c.remove();
      page.charts = page.charts.filter((x) => x !== made);
    });
    made.draw();
  } catch (err) { fail(err); }
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
    case 'f': camera.target = [0, 0, 0]; raise(); camera.fit(canvas.width / canvas.height); break;
    case '1': case '2': case '3': [camera.azimuth, camera.elevation] = looks[k]; break;
    case 'j': drawing.options.joints = toggle(); break;
    case 'v': case 'r': case 'w': {
      if (k === 'r' && !head.solves || k === 'w' && !head.arrows) return;
      const on = toggle();
      for (const other of 'vrw') if (other !== k) pressed(other, false);
      page.arrows = on ? { v: 'velocity', r: 'reactions', w: 'forces' }[k] : null;
      if (on) arrows(); else drawing.setArrows(null);
      break;
    }
    case 'd': if (head.solves) { pressed('l', false); redundant(toggle()); } break;
    case 'l': if (page.joints) { pressed('d', false); loops(toggle()); } break;
    case '?': case 'h': $('help').hidden = !$('help').hidden; break;
    case 'o': page.follow = toggle(); break;
    case 't': document.documentElement.dataset.theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'; page.charts.forEach((c) => c.draw()); break;
    case 'p': pace.now = 1; resize(); draw(); canvas.toBlob((b) => save(URL.createObjectURL(b), `${head.name || 'mechanism'}.png`)); break;
    case 'm': video(); break;
    case 'i': $('panel').hidden = !toggle(); resize(); break;
    case ' ': if (page.times) { page.playing = !page.playing; $('play').textContent = page.playing ? '❚❚' : '▶'; } break;
    case ',': case '.': if (page.times) { page.playing = false; $('play').textContent = '▶'; seek(page.times[Math.max(0, Math.min(page.times.length - 1, page.row + (k === '.' ? 1 : -1)))]); } break;
    case 'Escape': $('help').hidden = true; choose(null); break;
    default: return false;
  }
  page.dirty = true;
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
    pace.move();
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
  pace.move();
  page.dirty = true;
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
  pace?.move();
  page.dirty = true;
}, { passive: false });

onChoice(() => { if (pressed('l')) loops(true); });
$('help').addEventListener('click', () => key('?'));

if (window.matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.dataset.theme = 'dark';
start().catch(fail);
