// The page: it loads the scene, keeps the time, and answers to mouse, fingers and keys.

import { Camera, rotate } from './algebra.js';
import { Chart } from './chart.js';
import { Drawing } from './drawing.js';
import { Frames } from './frames.js';
import { arrows, loops, redundant } from './marks.js';
import { Pace } from './pace.js';
import { choose, describe, lost, onChoice, suggest } from './panel.js';
import { solids } from './shapes.js';
import { call, get, host, tell, whole } from './source.js';
import { $, area, fail, page, poseOf, pressed } from './state.js';

const canvas = $('view');
let head, drawing, frames, camera, live, pace;

// What tests read.
window.rung = { state: page, rotate, get still() { return !page.dirty && pace.now === 1 && (live || page.shown.row === page.row); }, get drawing() { return drawing; }, get live() { return live; }, get head() { return head; }, get camera() { return camera; }, pose: poseOf, project };

// start gets what the first picture needs, draws it, and then the rest.
async function start() {
  head = page.head = await get('scene.json', { as: 'json' });
  tell('tell', { bodies: head.bodies, rows: head.rows, block: head.block, whole, hosted: host !== null });
  const [shapes, links] = await Promise.all([get('shapes'), get('links')]);
  camera = page.camera = new Camera(head.radius, head.upright);
  const surfaces = await Promise.all(head.shapes.slice(solids.length).map((_, row) => get('mesh', { row })));
  drawing = page.drawing = new Drawing(canvas, head, new Float32Array(shapes), new Float32Array(links), surfaces.map((b) => new Float32Array(b)));
  frames = page.frames = new Frames(drawing.gl, head, [drawing.shapeSet, drawing.linkSet], fail);
  pace = new Pace(drawing.gl);
  for (let row = 0; row < head.terrains; row++) drawing.ground(new Float32Array(await get('terrain', { row })));
  $('name').textContent = head.name || 'mechanism';
  document.title = `${head.name || 'mechanism'} – Rung`;
  $('counts').textContent = `${head.bodies} bodies, ${head.joints} joints`;
  if (!head.arrows) document.querySelector('[data-key=w]').hidden = true;
  if (!head.solves) document.querySelectorAll('[data-key=r], [data-key=d]').forEach((b) => { b.hidden = true; });
  await frames.come(0);
  measure();
  raise();
  resize();
  camera.fit(canvas.width / canvas.height);
  draw();
  drawing.lay();
  $('grid').hidden = !drawing.grid;
  if (drawing.grid) {
    $('grid').textContent = `grid ${Number(drawing.grid.step.toPrecision(1))} m`;
    draw();
  }
  page.dirty = false;
  page.drawn = performance.now(); // since the page began to load
  await details();
  if (head.live || head.rows > 1) frames.prepare();
  requestAnimationFrame(tick);
  if (head.live) await play();
  window.rung.ready = true;
}

// play loads what a mechanism needs that the program moves. In a file there is none.
async function play() {
  const { Live } = await import('./live.js');
  live = new Live((buffer) => frames.give(buffer, 8, new Float64Array(buffer, 0, 1)[0]));
}

// details gets what is not in the picture: names, joints, times.
async function details() {
  const [names, joints, times] = await Promise.all([get('names', { as: 'json' }), get('joints'), get('times')]);
  page.names = names;
  page.joints = new Int32Array(joints);
  if (head.rows > 0) {
    page.times = new Float64Array(times);
    timeline();
  }
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
  page.row = rowAt(page.time);
  if (!page.playing) frames.failed.clear(); // who asks again is told again
  page.dirty = true;
}

// near finds the frames between which the time is, as far as they are whole, and returns the part of the way from one to the other. What is not there is asked for.
const near = { from: null, to: null, part: 0, time: 0 };
function find() {
  const { row, time, times } = page, from = frames.get(row);
  near.from = near.to = from ?? frames.newest(); // of what has been asked for
  near.part = 0;
  near.time = times ? times[near.from.row] : near.from.time ?? 0;
  if (!from) frames.want(row);
  if (!times || !(time > times[row])) return;
  const to = frames.get(row + 1);
  if (!to) frames.want(row + 1);
  if (!from || !to) return;
  near.to = to;
  near.part = (time - times[row]) / (times[row + 1] - times[row]);
  near.time = time;
}

// advance goes on with the time if there are the frames for it. Otherwise the picture waits for them.
function advance(passed) {
  const { times } = page, last = times.length - 1, step = passed / 1000 * page.speed;
  let t = page.time + step;
  if (t > times[last]) t = times[0];
  const row = rowAt(t), next = Math.min(row + 1, last);
  frames.want(row, true);
  frames.want(next, true);
  if (!frames.has(row) || !frames.has(next)) return;
  seek(t);
  const then = rowAt(t + step); // what the next picture is likely to need
  frames.want(then, true);
  frames.want(Math.min(then + 1, last), true);
}

let before = 0, recorder = null;
function tick(now) {
  requestAnimationFrame(tick);
  if (page.dirty && live) live.viewed();
  if (page.playing) advance(now - before);
  before = now;
  if (pace.look(page.playing || live && live.status.running, !recorder)) sharpen();
  frames.load();
  find();
  if (near.from !== page.shown || near.to !== drawing.to) page.dirty = true;
  if (page.dirty) {
    page.dirty = false;
    draw();
  }
}

function draw() {
  find();
  const { from, to, part, time } = near, other = from !== page.shown;
  page.shown = frames.shown[0] = from;
  frames.shown[1] = to;
  drawing.poses(from, to, part);
  if (page.follow && page.chosen && page.chosen.body >= 0) {
    const i = 8 * page.chosen.body;
    camera.target = [0, 1, 2].map((k) => from.poses[i + k] + part * (to.poses[i + k] - from.poses[i + k]));
  } else if (!live?.hand) camera[camera.zoomed ? 'keep' : 'hold'](drawing.around, canvas.width / canvas.height); // what is pulled would move with the picture
  drawing.options.body = page.chosen ? page.chosen.body : -1;
  drawing.options.joint = page.chosen ? page.chosen.joint : -1;
  drawing.options.force = page.chosen ? page.chosen.force : -1;
  drawing.draw(camera, document.documentElement.dataset.theme === 'dark' ? dark : light);
  pace.drawn();
  page.pictures++;
  if (page.times) clock(time);
  else page.time = time;
  if (other) told();
}

const dark = [0.078, 0.094, 0.118], light = [0.965, 0.969, 0.976];

// clock shows the time of the picture.
function clock(time) {
  $('scrub').value = page.row;
  $('clock').textContent = `${time.toFixed(3)} s`;
  for (const c of page.charts) c.mark(time);
}

// told shows what else there is of a frame.
let last = 0;
function told() {
  const now = performance.now();
  if (live && now - last < 150) return;
  last = now;
  if (page.arrows) arrows();
  if (page.chosen) describe();
}

// project returns the pixel of the window where a point is that is relative to the middle.
function project(p) {
  const m = camera.matrix(canvas.width / canvas.height), q = [0, 1, 2, 3].map((r) => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
  const r = area();
  return [r.left + (q[0] / q[3] + 1) / 2 * r.width, r.top + (1 - q[1] / q[3]) / 2 * r.height];
}

// measure finds the size of the canvas in the window. Looking at it in a picture would lay out the page each time.
const box = { width: 1, height: 1 };
function measure() {
  box.width = canvas.clientWidth;
  box.height = canvas.clientHeight;
}

function resize() {
  const ratio = window.devicePixelRatio, w = Math.max(1, Math.round(box.width * ratio)), h = Math.max(1, Math.round(box.height * ratio));
  if (canvas.width === w && canvas.height === h) return;
  canvas.width = w;
  canvas.height = h;
  sharpen();
  if (!camera.zoomed) camera.fit(w / h);
}

// sharpen draws as many pixels as the pace says, in a corner of the canvas that is then stretched: a canvas of another size would wait for all that is drawn.
function sharpen() {
  const width = Math.max(1, Math.round(canvas.width * pace.now)), height = Math.max(1, Math.round(canvas.height * pace.now));
  drawing.size = { width, height };
  canvas.style.transform = pace.now === 1 ? '' : `scale(${canvas.width / width}, ${canvas.height / height})`;
  page.dirty = true;
}

// raise puts the target into the middle of what the title and the buttons leave free, and reports whether it was elsewhere.
function raise() {
  const was = camera.rise, below = $('bottom').offsetHeight + 12, above = document.querySelector('header').offsetHeight + 10;
  camera.rise = Math.max(0, Math.min(0.5, (below - above) / (box.height || 1)));
  camera.room = Math.max(0.3, 1 - (above + below) / (box.height || 1));
  return camera.rise !== was;
}
const sizes = new ResizeObserver(() => {
  if (!page.shown) return;
  measure();
  resize();
  if (raise()) {
    if (!camera.zoomed) camera.fit(box.width / box.height);
    page.dirty = true;
  }
  page.charts.forEach((c) => c.draw());
});
for (const e of [canvas, $('bottom'), document.querySelector('header')]) sizes.observe(e);

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
  suggest($('column'), $('columns'), columns);
  $('column').addEventListener('change', () => {
    const name = $('column').value, known = name && isColumn(name);
    lost($('uncharted'), known ? '' : name);
    if (known) chart(name);
  });
  for (const c of ['energy.kinetic', 'drift.position']) if (head.columns.includes(c)) chart(c);
  page.time = page.times[0];
  seek(page.time);
}

// columns yields those that have a text in their names: the trajectory's own ones, and then those of bodies.
function* columns(low) {
  for (const c of head.columns) if (c.toLowerCase().includes(low)) yield c;
  const dot = low.lastIndexOf('.');
  for (const b of page.names.bodies) {
    const name = b.toLowerCase(), all = name.includes(low);
    if (!all && (dot < 0 || !name.endsWith(low.slice(0, dot)))) continue;
    for (const part of Object.keys(ofBody)) if (all || part.startsWith(low.slice(dot + 1))) yield `${b}.${part}`;
  }
}

function isColumn(name) {
  const dot = name.lastIndexOf('.');
  return head.columns.includes(name) || dot >= 0 && name.slice(dot + 1) in ofBody && page.names.bodies.includes(name.slice(0, dot));
}

// curve returns pairs of time and value of a column. A file has the columns of bodies in its frames only.
async function curve(column) {
  if (!whole || head.columns.includes(column)) return new Float64Array(await get('series', { column }));
  const dot = column.lastIndexOf('.'), i = page.names.bodies.indexOf(column.slice(0, dot)), [rates, k] = ofBody[column.slice(dot + 1)];
  const out = new Float64Array(2 * page.times.length), all = new Float64Array(await call('column', { at: rates ? 7 * head.bodies + 6 * i + k : 7 * i + k }));
  all.forEach((x, row) => out.set([page.times[row], x + (!rates && k < 3 ? head.center[k] : 0)], 2 * row));
  return out;
}

async function chart(column) {
  const there = () => page.charts.some((c) => c.column === column);
  try {
    const data = there() ? null : await curve(column);
    if (there()) return;
    const h = document.createElement('h3'), c = document.createElement('div');
    h.textContent = column;
    h.title = 'click: remove';
    $('curves').append(h, c);
    const made = new Chart(c, column, data, seek);
    made.mark(page.time);
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

// looks are azimuth and elevation from the right, from the front and from above, along the upright axes in their order.
const looks = [[0, 0], [-Math.PI / 2, 0], [-Math.PI / 2, Math.PI / 2]];

function key(k) {
  if (live && live.key(k)) return true;
  const toggle = () => pressed(k, !pressed(k));
  switch (k) {
    case 'f': raise(); camera.reset(canvas.width / canvas.height); break;
    case '1': case '2': case '3': [camera.azimuth, camera.elevation] = looks[camera.upright.findIndex((way) => Math.abs(way[k - 1]) > 0.5)]; break; // along x, y or z of the world
    case 'g': if (!drawing.grid) return; drawing.options.grid = toggle(); break;
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
    case 'p': pace.now = 1; sharpen(); draw(); canvas.toBlob((b) => save(URL.createObjectURL(b), `${head.name || 'mechanism'}.png`)); break;
    case 'm': video(); break;
    case 'i': $('panel').hidden = !toggle(); break;
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
  const r = area(), s = canvas.width / r.width;
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
    camera.shift(dx / 2, dy / 2, box.height);
  } else if (e.buttons & 2 || e.shiftKey) camera.shift(dx, dy, box.height);
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
