// Frames in the memory of the graphics processor: a few slots, each with a texture of poses. The worker fills a slot, and it is loaded row of texels by row, as much in a picture as there is time
// for; a frame is shown only when it is whole.

import { onSlot, tell } from './source.js';
import { fillRows, rounded, texture } from './things.js';

// The worker and the page see the same memory where the browser lets them, which it does if the page comes from the server; in a file it goes to and fro. What goes to and fro counts as allocated
// and makes the browser collect garbage, which takes some milliseconds.
const shared = self.crossOriginIsolated;

const slots = 4; // two between which is shown, and two that come
const time = 0.5; // ms of a picture
const atOnce = 8; // rows of texels: 256 kB

export class Frames {
  // sets are the Things whose groups the worker finds; wrong is called with what has failed.
  constructor(gl, head, sets, wrong) {
    this.gl = gl;
    this.head = head;
    this.lengths = sets.map((s) => 4 * s.levels.count);
    this.texels = 4 * rounded(2 * head.bodies);
    this.slots = []; // of each its row, the serial of the wish, how many rows of texels are loaded, −1 before it is filled, and whether it is whole
    this.serial = 0;
    this.shown = [null, null]; // the two that the picture has
    this.failed = new Set(); // rows that cannot be had
    this.arrived = null; // called when a slot has been filled, or with an error
    this.next = null; // a frame that has been given when there was no slot
    const memory = sets.flatMap((s) => s.levels.memory);
    tell('sets', { sets: sets.map((s) => s.levels.told) }, memory.map((a) => a.buffer));
    onSlot((slot, error) => this.filled(slot, error, wrong));
  }

  // take returns a slot that may be overwritten, or null if all are needed: of those that are whole the one that was wanted longest ago.
  take() {
    if (!this.slots.length) this.add();
    let old = null;
    for (const s of this.slots) if (s.whole && s !== this.shown[0] && s !== this.shown[1] && (!old || s.serial < old.serial)) old = s;
    return old;
  }

  // prepare makes all slots, so that none has to be made for a picture.
  prepare() {
    while (this.slots.length < slots) this.add();
  }

  add() {
    const floats = this.texels + 6 * this.head.bodies + this.lengths.reduce((a, b) => a + b, 0);
    const s = { number: this.slots.length, texture: texture(this.gl, this.texels / 4, this.gl.RGBA32F), lent: false, row: -1, serial: 0, whole: true, loaded: -1, time: 0 };
    this.lay(s, new (shared ? SharedArrayBuffer : ArrayBuffer)(4 * floats));
    this.slots.push(s);
    return s;
  }

  // lay finds where the numbers are in the memory of a slot.
  lay(s, buffer) {
    const n = this.head.bodies;
    s.buffer = buffer;
    s.poses = new Float32Array(buffer, 0, this.texels);
    s.rates = new Float32Array(buffer, 4 * this.texels, 6 * n);
    let at = this.texels + 6 * n;
    s.balls = this.lengths.map((length) => new Float32Array(buffer, 4 * ((at += length) - length), length));
  }

  // ask has the worker fill a slot.
  ask(s, row, what, more, memory) {
    s.row = row;
    s.serial = ++this.serial;
    s.whole = false;
    s.loaded = -1;
    tell(what, { slot: { buffer: s.lent ? null : s.buffer, number: s.number, texels: this.texels }, ...more }, shared ? memory : [s.buffer, ...memory]);
    s.lent = shared;
  }

  // want asks for a row, unless it is there or on its way.
  want(row, playing = false) {
    if (this.failed.has(row)) return;
    for (const s of this.slots) {
      if (s.row !== row) continue;
      if (s.whole) s.serial = ++this.serial;
      return;
    }
    const slot = this.take();
    if (slot) this.ask(slot, row, 'frame', { row, playing }, []);
  }

  // give orders a frame that begins at a byte of a buffer. If one waits already, the newer takes its place.
  give(buffer, from, time) {
    const slot = this.take();
    this.next = slot ? null : { buffer, from, time };
    if (!slot) return;
    slot.time = time;
    this.ask(slot, 0, 'given', { buffer, from }, [buffer]);
  }

  filled({ number, buffer }, error, wrong) {
    const s = this.slots[number];
    if (buffer) this.lay(s, buffer);
    if (!error) {
      s.loaded = 0;
      this.arrived?.();
      return;
    }
    this.failed.add(s.row);
    s.row = -1;
    s.serial = 0;
    s.whole = true;
    if (this.arrived) this.arrived(error); else wrong(error);
  }

  // load goes on with what is to be loaded, the oldest wish first, and returns whether another frame is whole. all: without regard to time.
  load(all = false) {
    const end = performance.now() + time, rows = this.texels / 4 / rounded(1);
    let more = false;
    for (;;) {
      let s = null;
      for (const x of this.slots) if (!x.whole && x.loaded >= 0 && (!s || x.serial < s.serial)) s = x;
      if (!s) break;
      const n = Math.min(atOnce, rows - s.loaded);
      fillRows(this.gl, s.texture, s.poses, s.loaded, n);
      s.loaded += n;
      if (s.loaded === rows) s.whole = more = true;
      if (!all && performance.now() > end) break;
    }
    if (this.next) this.give(this.next.buffer, this.next.from, this.next.time);
    return more;
  }

  // get returns a row if it is whole, of several the newest.
  get(row) {
    let best;
    for (const s of this.slots) if (s.whole && s.row === row && (!best || s.serial > best.serial)) best = s;
    return best;
  }

  // come waits until a row is whole.
  async come(row) {
    await new Promise((resolve, reject) => {
      this.arrived = (error) => (error ? reject(error) : resolve());
      this.want(row);
    });
    this.arrived = null;
    this.load(true);
  }

  has(row) { return this.get(row) !== undefined; }

  // newest returns what has been wanted last of what is whole.
  newest() {
    let best = null;
    for (const s of this.slots) if (s.whole && s.row >= 0 && (!best || s.serial > best.serial)) best = s;
    return best;
  }
}
