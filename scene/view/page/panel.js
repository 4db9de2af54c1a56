// The panel: what is chosen, and the search.

import { $, joint, page, poseOf, rateOf } from './state.js';

const digits = (x) => (Number.isFinite(x) ? Number(x.toPrecision(6)).toString() : 'none');
const list = (v) => [...v].map(digits).join(', ');
const watchers = [];

// onChoice calls a function whenever something else is chosen.
export function onChoice(f) { watchers.push(f); }

// choose selects a body, a joint or a force element.
export function choose(what) {
  page.chosen = what && page.names && (what.body >= 0 || what.joint >= 0 || what.force >= 0) ? what : null;
  if (page.chosen && what.joint >= 0) page.chosen = { ...what, body: -1 };
  describe();
  watchers.forEach((f) => f());
  page.dirty = true;
}

let box = null; // of the choice that is described: the facts that change

// describe shows the choice, from the start if it is another one.
export function describe() {
  const c = page.chosen;
  if (!c) {
    $('chosen').replaceChildren();
    box = null;
    return;
  }
  if (!box || box.of !== c) {
    box = { of: c, facts: document.createElement('dl') };
    const title = document.createElement('h2');
    title.textContent = c.joint >= 0 ? page.names.joints[c.joint] : c.force >= 0 ? page.names.forces[c.force] : page.names.bodies[c.body];
    $('chosen').replaceChildren(title, box.facts);
    if (c.body >= 0) $('chosen').append(neighbours(c.body));
  }
  const rows = [];
  const fact = (name, value) => {
    const dt = document.createElement('dt'), dd = document.createElement('dd');
    dt.textContent = name;
    dd.textContent = value;
    rows.push(dt, dd);
  };
  if (c.joint >= 0) ofJoint(c.joint, fact);
  else if (c.force >= 0) fact('force element', '');
  else ofBody(c.body, fact);
  box.facts.replaceChildren(...rows);
}

function ofJoint(k, fact) {
  const j = joint(k), name = (b) => (b < 0 ? 'world' : page.names.bodies[b]);
  fact('joint', j.type);
  fact('from', name(j.pred));
  fact('to', name(j.succ));
  if (page.report) fact('redundant', `${page.report.redundant[k]} rows${page.report.undetermined.includes(k) ? ', reaction not unique' : ''}`);
  if (page.reactions && page.reactionsRow === page.shown.row) {
    const w = page.reactions.subarray(9 * k, 9 * k + 9);
    fact('force', `${list(w.subarray(3, 6))} N`);
    fact('moment', `${list(w.subarray(6, 9))} N m`);
  }
}

function ofBody(i, fact) {
  const p = poseOf(i), v = rateOf(i);
  fact('position', `${list([0, 1, 2].map((k) => p[k] + page.head.center[k]))} m`);
  fact('orientation', `${list([p[6], p[3], p[4], p[5]])} (w x y z)`);
  fact('velocity', `${list(v.subarray(0, 3))} m/s`);
  fact('turning', `${list(v.subarray(3, 6))} rad/s`);
}

// neighbours lists the joints of a body.
function neighbours(body) {
  const ul = document.createElement('ul'), t = page.joints;
  for (let k = 0; k < page.head.joints && ul.children.length < 50; k++) {
    if (t[3 * k + 1] !== body && t[3 * k + 2] !== body) continue;
    const li = document.createElement('li'), b = document.createElement('button'), j = joint(k);
    b.textContent = `${j.name} (${j.type})`;
    b.addEventListener('click', () => choose({ body: -1, joint: k, force: -1 }));
    li.append(b);
    ul.append(li);
  }
  return ul;
}

// suggest lists names below an input while something is typed: the first of those that find yields for a text in lower case.
export function suggest(input, list, find) {
  const most = 40;
  const fill = () => {
    const options = [];
    for (const name of find(input.value.toLowerCase())) if (options.push(new Option(name, name)) === most) break;
    list.replaceChildren(...options);
  };
  input.addEventListener('input', fill);
  input.addEventListener('focus', fill);
}

// lost says that nothing has a name, or with none says nothing.
export function lost(place, name) {
  place.textContent = name ? `Nothing is called “${name}”.` : '';
  place.hidden = !name;
}

function* names(low) {
  if (!page.names) return;
  for (const list of [page.names.bodies, page.names.joints, page.names.forces]) for (const n of list) if (n.toLowerCase().includes(low)) yield n;
}

suggest($('search'), $('names'), names);
$('search').addEventListener('change', () => {
  if (!page.names) return;
  const text = $('search').value, low = text.toLowerCase(), { bodies, joints, forces } = page.names;
  const at = (find) => [find(bodies), find(joints), find(forces)];
  let [body, k, force] = at((list) => list.indexOf(text));
  if (body < 0 && k < 0 && force < 0) [body, k, force] = at((list) => list.findIndex((n) => n.toLowerCase().includes(low)));
  const found = Boolean(text) && (body >= 0 || k >= 0 || force >= 0);
  lost($('lost'), found ? '' : text);
  if (!found) choose(null);
  else if (body >= 0) choose({ body, joint: -1, force: -1 });
  else if (k >= 0) choose({ body: -1, joint: k, force: -1 });
  else choose({ body: -1, joint: -1, force });
});
