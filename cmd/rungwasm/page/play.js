// The playground: a text at the left, the mechanism of it at the right by the page of scene/view in a frame, its report below.

import { pack, unpack } from './address.js';
import { mark, onEdit, read, select, write } from './editor.js';
import { line, named, offset, place } from './places.js';
import { onGone, open, start, stop } from './program.js';
import { show } from './report.js';

const $ = (id) => document.getElementById(id);
const pause = 300; // ms after a key before the text is read
const patience = 3000; // ms that an old text may take when there is a newer one
const often = 500, share = 20; // ms between two reports, and how many times as long as one takes is between two of a mechanism that moves
const waits = 20000; // ms for a new picture

// What is shown: the model and its frame; and what tests read.
const play = window.play = { model: null, frame: null, text: null, errors: [], reported: null };

// nameOf says by its ending what format a text has.
function nameOf(text) {
  if (/^\s*#usda\b/.test(text)) return 'model.usda';
  const root = /^\s*(?:<\?[^>]*>\s*|<!--[\s\S]*?-->\s*)*<(\w+)/.exec(text)?.[1];
  return { robot: 'model.urdf', mujoco: 'model.xml', sdf: 'model.sdf' }[root] ?? 'model';
}

function say(text, wrong = false) {
  $('state').textContent = text;
  $('said').classList.toggle('wrong', wrong);
}

// placeOf returns where a problem is in the text, or null.
function placeOf(text, problem) {
  const [, row, byte] = /at line (\d+)(?:, byte (\d+))?/.exec(problem.rule) ?? [];
  if (byte) {
    const at = new TextDecoder().decode(new TextEncoder().encode(text).slice(0, Number(byte))).length;
    return { start: Math.max(0, at - 1), end: Math.max(at, 1) };
  }
  if (row) return { start: offset(text, Number(row)), end: offset(text, Number(row) + 1) };
  return problem.path ? place(text, problem.path) : null;
}

// problems returns what is wrong as {path, rule, value, place} each.
function problems(text, err) {
  const d = err.details ?? {};
  if (d.problems) return d.problems.map((p) => ({ ...p, place: placeOf(text, p) }));
  const [, row, column] = /^[^:\s]+:(\d+):(\d+): /.exec(err.message) ?? [];
  if (row) return [{ path: '', rule: err.message, place: { start: offset(text, Number(row), Number(column)), end: offset(text, Number(row) + 1) } }];
  for (const [key, list] of [['body', 'bodies'], ['joint', 'joints'], ['coupling', 'couplings'], ['force', 'forces']]) {
    if (d[key]) return [{ path: `${key} “${d[key]}”`, rule: err.message, place: named(text, list, d[key]) }];
  }
  return [{ path: '', rule: err.message, place: null }];
}

// complain lists what is wrong with a text.
function complain(text, err) {
  play.errors = problems(text, err).map((p) => ({ ...p, line: p.place ? line(text, p.place.start) : null }));
  const more = err.details?.more ?? 0, n = play.errors.length + more;
  say(`${n} ${n === 1 ? 'error' : 'errors'}${play.model ? '. The picture and the report are those of the last text without one.' : ''}`, true);
  $('errors').replaceChildren(...play.errors.slice(0, 50).map((p) => {
    const li = document.createElement('li'), b = document.createElement('button'), at = document.createElement('b'), path = document.createElement('code');
    at.textContent = p.line ? `line ${p.line} ` : '';
    path.textContent = p.path ? `${p.path} ` : '';
    b.append(at, path, p.value ? `${p.rule} (value ${p.value})` : p.rule);
    b.disabled = !p.place;
    if (p.place) b.addEventListener('click', () => select(p.place));
    li.append(b);
    return li;
  }));
  mark(play.errors.map((p) => p.line).filter(Boolean));
  $('report').classList.add('old');
}

let opening = null; // the text that is being read, and since when

// tryText reads the text at the left, unless it is shown already. If an older one takes too long, the program begins anew.
async function tryText() {
  const text = read();
  if (text === opening?.text || text === play.text && !play.errors.length) return;
  if (opening) {
    const left = opening.since + patience - performance.now();
    if (left > 0) { later(Math.min(left, pause)); return; }
    stop('A newer text has taken the place of this one.');
  }
  const mine = opening = { text, since: performance.now() };
  say('reading …');
  try {
    const model = await open(nameOf(text), text);
    if (opening !== mine) return;
    play.errors = [];
    $('errors').replaceChildren();
    mark([]);
    play.text = text;
    say(`${model.sizes.Bodies} bodies, ${model.sizes.Joints} joints, read in ${Math.round(performance.now() - mine.since)} ms.`);
    await present(model);
    await report();
  } catch (err) {
    if (opening === mine) complain(text, err);
  } finally {
    if (opening === mine) opening = null;
  }
  if (read() !== text) later(pause);
}

// present shows a model in a new frame, which takes the place of the old one when it has its first picture; the view stays.
async function present(model) {
  const old = play.frame, frame = document.createElement('iframe');
  play.model?.forget();
  play.model = model;
  frame.rungHost = model.host;
  frame.title = 'the mechanism, moving';
  frame.className = 'next';
  frame.src = 'view/index.html';
  $('picture').append(frame);
  play.frame = frame;
  const end = performance.now() + waits;
  while (!frame.contentWindow?.rung?.ready) {
    const failed = frame.contentDocument?.getElementById('message');
    if (failed && !failed.hidden || performance.now() > end) break; // the frame says what is wrong
    await new Promise((r) => setTimeout(r, 20));
  }
  const look = frame.contentWindow.rung?.camera, was = old?.contentWindow?.rung?.camera;
  if (look && was) Object.assign(look, { azimuth: was.azimuth, elevation: was.elevation });
  if (frame.contentWindow.innerWidth < 700) frame.contentDocument.querySelector('[data-key=i]')?.click();
  paint(frame);
  frame.className = '';
  old?.remove();
}

// report asks for the accelerations and reactions at present.
let last = { at: 0, took: 0, time: null };
async function report() {
  const model = play.model;
  if (!model) return;
  last.at = performance.now();
  try {
    const { value, took } = await model.document('accel'), result = JSON.parse(value);
    if (model !== play.model || play.errors.length) return;
    last = { at: performance.now(), took, time: result.time };
    show($('report'), result, model.closed, took);
    play.reported = result;
  } catch (err) {
    if (model !== play.model || err.details?.status === 3) return;
    last.time = model.status?.time ?? null;
    $('report').textContent = err.message;
  }
}

setInterval(() => {
  const status = play.model?.status;
  if (!status || play.errors.length || document.hidden || status.time === last.time) return;
  if (performance.now() > last.at + Math.max(often, status.running ? share * last.took : 0)) report();
}, 100);

let timer = 0;
function later(ms) {
  clearTimeout(timer);
  timer = setTimeout(tryText, ms);
}

// keep writes the model into the address, as an example as long as it is one.
let example = null; // its name and text
async function keep() {
  const text = read();
  const fragment = example?.text === text ? `#example=${encodeURIComponent(example.name)}` : await pack(text);
  if (text !== read()) return;
  $('examples').value = example?.text === text ? example.name : '';
  history.replaceState(null, '', fragment ?? location.pathname);
  $('copy').disabled = fragment === null;
  $('copy').title = fragment ? 'copy the address, which has the model in it' : 'the model is too long for an address';
}

let keeper = 0;
onEdit(() => {
  later(pause);
  clearTimeout(keeper);
  keeper = setTimeout(keep, pause);
});

async function load(name) {
  if (![...$('examples').options].some((o) => o.value && o.value === name)) throw new Error(`There is no example “${name}”.`);
  const answer = await fetch(`models/${name}.json`);
  if (!answer.ok) throw new Error(`models/${name}.json: ${answer.status} ${answer.statusText}`);
  example = { name, text: await answer.text() };
  write(example.text);
}

// begin shows what the address says.
async function begin() {
  try {
    const given = await unpack(location.hash);
    if (given?.text !== undefined) write(given.text); else await load(given?.example ?? 'four-bar');
  } catch (err) {
    say(err.message, true);
    return;
  }
  await keep();
  await tryText();
}

$('examples').addEventListener('change', async () => {
  if (!$('examples').value) return;
  try {
    await load($('examples').value);
    await keep();
    await tryText();
  } catch (err) { say(err.message, true); }
});
window.addEventListener('hashchange', begin);

// paint gives a frame the colours of the page.
function paint(frame) {
  const w = frame.contentWindow, theme = document.documentElement.dataset.theme ?? 'light';
  if (!w?.rung) return;
  w.document.documentElement.dataset.theme = theme;
  w.rung.state.dirty = true;
}

$('theme').addEventListener('click', () => {
  document.documentElement.dataset.theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  if (play.frame) paint(play.frame);
});
$('copy').addEventListener('click', async () => {
  await keep();
  try {
    await navigator.clipboard.writeText(location.href);
    say('The address with the model is copied.');
  } catch { say('The browser does not let the page copy; the address of this page has the model.'); }
});
$('save').addEventListener('click', () => {
  const a = document.createElement('a'), name = nameOf(read());
  a.href = URL.createObjectURL(new Blob([read()], { type: 'application/json' }));
  a.download = name === 'model' ? 'model.json' : name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href));
});
onGone((why) => {
  play.text = null;
  complain(read(), new Error(`The program has ended: ${why} It begins anew with the next change of the text.`));
});

if (window.matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.dataset.theme = 'dark';
start().then(begin, (err) => say(`The program cannot be loaded: ${err.message}`, true));
