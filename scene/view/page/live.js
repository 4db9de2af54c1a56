// The live side of the page, for a mechanism that the program moves: states come by WebSocket, and what the user does goes there.
//
// rung play alone loads this module.

import { add, dot, rotate, scale, sub } from './algebra.js';
import { onChoice } from './panel.js';
import { host } from './source.js';
import { $, area, fail, page, poseOf } from './state.js';

const axes = { 'as in the model': null, none: [0, 0, 0], '−z': [0, 0, -1], '+z': [0, 0, 1], '−y': [0, -1, 0], '+y': [0, 1, 0], '−x': [-1, 0, 0], '+x': [1, 0, 0], 'down on the screen': 'screen' };
const pace = (factor) => (factor >= 0.1 || factor === 0 ? factor.toFixed(2) : factor < 0.001 ? factor.toExponential(1) : factor.toPrecision(2));
const share = (x) => (x < 0.0995 ? `${(100 * x).toPrecision(2)} %` : `${Math.round(100 * x)} %`);

export class Live {
  // keep is called with each frame: the time, a double, and then as the server's frames.
  constructor(keep) {
    this.keep = keep;
    this.told = page.head.live;
    this.status = { running: false, factor: null, speed: 1, gravity: this.told.gravity, air: this.told.air };
    this.hand = null; // what is pulled: pointer, body, point of the body, place, depth
    this.values = new Map(); // of sliders
    this.frames = 0;
    this.controls();
    this.connect();
    document.addEventListener('visibilitychange', () => this.look());
    onChoice(() => {
      if (page.chosen && page.chosen.joint >= 0) this.describe($('chosen'), page.chosen.joint);
    });
  }

  connect() {
    const address = new URL('live', document.baseURI);
    address.protocol = 'ws:';
    this.socket = host ? host.socket() : new WebSocket(address);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => this.look();
    this.socket.onmessage = (e) => {
      if (typeof e.data === 'string') this.tell(JSON.parse(e.data));
      else {
        this.frames++;
        this.keep(e.data);
      }
    };
    this.socket.onclose = (e) => {
      this.hand = null;
      page.drawing.setHand(null);
      $('factor').textContent = 'not connected';
      fail(new Error(e.reason ? `The program has ended the connection: ${e.reason}` : 'The program has ended.'));
    };
  }

  send(type, more) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type, ...more }));
  }

  look() { this.send('look', { on: document.visibilityState === 'visible' }); }

  // controls fills the bar, and the list of what is driven.
  controls() {
    $('live').hidden = false;
    for (const name of Object.keys(axes)) $('gravity').append(new Option(name, name));
    $('run').addEventListener('click', () => this.toggle());
    $('step').addEventListener('click', () => this.send('step'));
    $('reset').addEventListener('click', () => this.reset());
    $('pace').addEventListener('change', () => this.send('speed', { value: Number($('pace').value) }));
    $('gravity').addEventListener('change', () => this.turn());
    $('air').max = this.told.mostAir;
    $('air').value = this.told.air;
    $('air').addEventListener('input', () => this.send('air', { value: Number($('air').value) }));
    $('method').textContent = this.told.method;
    const box = $('drives');
    this.told.actuators.slice(0, 50).forEach((name, i) => box.append(this.slider(name, `a${i}`, this.told.moment, (value) => this.send('actuator', { actuator: i, value }))));
    let most = 50;
    this.told.freedoms.forEach((letters, j) => [...letters].forEach((c, i) => {
      if (c === 'L' || c === 'A') if (most-- > 0) box.append(this.drive(j, i, c));
    }));
    $('driving').hidden = !box.children.length;
  }

  toggle() { this.send(this.status.running ? 'pause' : 'run'); }

  reset() {
    this.values.clear();
    $('gravity').value = 'as in the model';
    document.querySelectorAll('input.drive').forEach((x) => { x.value = 0; x.oninput(null, true); });
    $('message').hidden = true;
    this.send('reset');
  }

  // turn sends the gravity that is chosen. Down on the screen follows the view.
  turn() {
    const to = axes[$('gravity').value], g = Math.hypot(...this.told.gravity) || 9.81;
    let v = this.told.gravity;
    if (to === 'screen') v = scale(page.camera.axes().up, -g);
    else if (to) v = scale(to, g);
    const text = v.join();
    if (text === this.sent) return;
    this.sent = text;
    this.send('gravity', { vector: v });
  }

  // viewed is called when the camera has moved.
  viewed() {
    if (axes[$('gravity').value] === 'screen') this.turn();
    if (this.hand) this.pull();
  }

  // tell shows a status.
  tell(s) {
    this.status = s;
    const { running, factor, damped } = s;
    $('run').textContent = running ? '❚❚' : '▶';
    $('run').setAttribute('aria-label', running ? 'pause' : 'run');
    const known = running && factor !== null, slow = known && factor < 0.97;
    $('factor').textContent = `${s.time.toFixed(2)} s${known ? ` · ×${pace(factor)}` : ''}`;
    $('factor').classList.toggle('slow', slow);
    $('factor').title = slow ? 'the processor is too slow for real time: the mechanism goes by this factor more slowly' : 'real time';
    if (document.activeElement !== $('pace')) $('pace').value = String(s.speed);
    if (document.activeElement !== $('air')) $('air').value = s.air;
    const rows = [['energy', `${s.energy.toPrecision(5)} J, kinetic ${s.kinetic.toPrecision(4)} J`], ['joints', `off by ${s.gap.toExponential(1)} m or rad`]];
    if (damped > 0) rows.push(['damped', `${share(damped)} of the last steps: something turns too fast for them, and loses energy`]);
    if (s.dampedAll > 0) rows.push(['lost so far', `${s.lost.toPrecision(3)} J in ${s.dampedAll} damped steps since ${s.dampedAt.toFixed(2)} s; the most kinetic energy was ${s.most.toPrecision(3)} J`]);
    if (s.passed > 0) rows.push(['singular pose', `last passed at ${s.passedAt.toFixed(2)} s; ${s.passed} steps there had their error controlled`]);
    if (s.air > 0) rows.push(['air', `${s.air} 1/s`]);
    if (s.pages > 1) rows.push(['pages', `${s.pages}`]);
    if (s.dropped > 0) rows.push(['frames left out', `${s.dropped}`]);
    $('facts').replaceChildren(...rows.flatMap(([name, text]) => {
      const dt = document.createElement('dt'), dd = document.createElement('dd');
      dt.textContent = name;
      dd.textContent = text;
      return [dt, dd];
    }));
    if (s.failure) fail(new Error(`It cannot go on: ${s.failure}. Reset begins anew.`));
    else if (this.failed) $('message').hidden = true;
    this.failed = Boolean(s.failure);
  }

  // slider returns a named slider from −most to most.
  slider(name, id, most, send) {
    const label = document.createElement('label'), input = document.createElement('input'), out = document.createElement('output');
    label.textContent = name;
    input.type = 'range';
    input.className = 'drive';
    input.id = `slide-${id}`;
    input.min = -1;
    input.max = 1;
    input.step = 0.01;
    input.value = (this.values.get(id) || 0) / most;
    input.oninput = (_, quiet) => {
      const value = Number(input.value) * most;
      out.textContent = value ? Number(value.toPrecision(3)).toString() : '0';
      this.values.set(id, value);
      if (!quiet) send(value);
    };
    input.ondblclick = () => { input.value = 0; input.oninput(); };
    input.oninput(null, true);
    label.append(out, input);
    return label;
  }

  // drive returns the slider of freedom i of joint j, whose letter says what it is.
  drive(j, i, c) {
    const t = this.told, name = page.names.joints[j], of = t.freedoms[j].length > 1 ? ` ${i + 1}` : '';
    if (c === 'A' || c === 'L') return this.slider(`${name}${of}: rate, ${c === 'A' ? 'rad/s' : 'm/s'}`, `d${j}-${i}`, c === 'A' ? t.rate : t.rate * t.length, (value) => this.send('drive', { joint: j, freedom: i, value }));
    return this.slider(`${name}${of}: ${c === 'a' ? 'moment, N m' : 'force, N'}`, `f${j}-${i}`, c === 'a' ? t.moment : t.force, (value) => this.send('force', { joint: j, freedom: i, value }));
  }

  // describe adds the sliders of a joint that is chosen to its facts.
  describe(box, joint) {
    const letters = this.told.freedoms[joint];
    if (!letters || box.querySelector('input.drive')) return;
    const h = document.createElement('h3');
    h.textContent = 'push';
    box.append(h, ...[...letters].map((c, i) => this.drive(joint, i, c)));
  }

  // ray returns the eye and the direction of a pixel of the canvas.
  ray(e) {
    const c = page.camera, r = area(), { right, up, eye } = c.axes();
    const f = Math.tan(c.angle / 2), x = (2 * (e.clientX - r.left) / r.width - 1) * f * r.width / r.height, y = (1 - 2 * (e.clientY - r.top) / r.height - c.rise) * f;
    return { from: add(c.target, scale(eye, c.distance)), along: add(add(scale(right, x), scale(up, y)), scale(eye, -1)), eye };
  }

  // grab takes what is under a pointer, and reports whether there is something.
  grab(e, found) {
    if (!found || found.force >= 0 || this.hand || this.socket.readyState !== WebSocket.OPEN) return false;
    const shape = found.shape >= 0 ? page.drawing.place(found.shape) : null;
    if (!shape || shape.body < 0) return false;
    const pose = poseOf(shape.body), q = pose.slice(3, 7), at = add(pose.slice(0, 3), rotate(q, shape.at)), axis = scale(rotate(q, shape.axis), shape.half);
    const { from, along, eye } = this.ray(e);
    // The point of the shape's axis that is nearest to the ray: of from + s·along and at + t·axis.
    const w = sub(from, at), a = dot(along, along), b = dot(along, axis), c = dot(axis, axis), d = a * c - b * b;
    const t = d > 1e-9 * a * (c + 1e-30) ? Math.max(-1, Math.min(1, (a * dot(axis, w) - b * dot(along, w)) / d)) : 0;
    const place = add(at, scale(axis, t)), back = [-q[0], -q[1], -q[2], q[3]];
    this.hand = { pointer: e.pointerId, body: shape.body, point: rotate(back, sub(place, pose.slice(0, 3))), place, depth: dot(eye, place), x: e.clientX, y: e.clientY };
    this.pull();
    return true;
  }

  // drag moves the hand with its pointer, and reports whether it is that pointer's.
  drag(e) {
    const h = this.hand;
    if (!h || h.pointer !== e.pointerId) return false;
    h.x = e.clientX;
    h.y = e.clientY;
    this.pull();
    return true;
  }

  // pull sends where the pointer is, at the depth at which the hand has taken hold.
  pull() {
    const h = this.hand, { from, along, eye } = this.ray({ clientX: h.x, clientY: h.y });
    h.place = add(from, scale(along, (h.depth - dot(eye, from)) / dot(eye, along)));
    this.send('pull', { body: h.body, point: h.point, vector: h.place });
    page.drawing.setHand(new Float32Array([...h.point, h.body, ...h.place, -1, 0.025 * page.head.unit, 0.95, 0.45, 0.1, -1, -1]));
    page.dirty = true;
  }

  // drop lets go, and reports whether the pointer had something.
  drop(e) {
    if (!this.hand || this.hand.pointer !== e.pointerId) return false;
    this.hand = null;
    page.drawing.setHand(null);
    this.send('release');
    page.dirty = true;
    return true;
  }

  // key answers to a key, and reports whether it has one.
  key(k) {
    switch (k) {
      case ' ': this.toggle(); return true;
      case '.': this.send('step'); return true;
      case '0': this.reset(); return true;
      default: return false;
    }
  }
}
