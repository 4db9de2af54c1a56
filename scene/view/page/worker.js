// Runs on a thread of its own: it gets frames, unpacks them if the page is a file, orders their numbers as textures have them, and finds the balls around groups of things. So the thread of the
// page only loads what is ready. Frames that have been got stay here; the memory of the slots that it fills is the page's, allocated once.
//
// It imports nothing, as a page in a file cannot tell a worker where modules are.

const most = 128e6; // bytes of frames that are kept
const ahead = 8; // rows that are got before they are asked for, while the trajectory is played

let told; // what the page says first: bodies, rows, whole, hosted, and block, the rows of a block of a file
let sets = null; // of things: Levels.groups and where they are
const lent = []; // memory of slots that the page shares
let begin;
const begun = new Promise((resolve) => { begin = resolve; });

// Texts of a file, which come in pieces when they have been asked for.
const texts = new Map();

function text(path) {
  if (!texts.has(path)) {
    const t = { pieces: [] };
    t.all = new Promise((resolve, reject) => Object.assign(t, { resolve, reject }));
    texts.set(path, t);
    postMessage({ need: path });
  }
  return texts.get(path).all;
}

// unpack undoes what part in html.go does.
async function unpack(path) {
  const pieces = await text(path);
  texts.delete(path);
  const bytes = Uint8Array.from(atob(pieces.join('')), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

// unfold undoes what pack in html.go does with a block of rows of single numbers.
function unfold(packed, count) {
  const bytes = new Uint8Array(packed), all = bytes.length / 4, n = all / count, out = new Int32Array(all);
  for (let k = 0; k < n; k++) {
    let x = 0;
    for (let r = 0; r < count; r++) {
      const at = k * count + r;
      x = (x + (bytes[at] | bytes[all + at] << 8 | bytes[2 * all + at] << 16 | bytes[3 * all + at] << 24)) | 0;
      out[r * n + k] = x;
    }
  }
  return new Float32Array(out.buffer);
}

// Answers of the server, or blocks of a file, the newest last.
const kept = new Map();
let bytes = 0;

function keep(path, make) {
  const old = kept.get(path);
  if (old) return old.promise;
  const entry = { promise: make(), size: 0 };
  kept.set(path, entry);
  entry.promise.then((numbers) => {
    bytes += entry.size = numbers.byteLength;
    for (const [name, { size }] of kept) { // the first is the oldest
      if (bytes <= most || kept.size <= 2 * ahead) break;
      kept.delete(name);
      bytes -= size;
    }
  }, () => kept.delete(path));
  return entry.promise;
}

// rowOf returns the numbers of a row of frames, forces or reactions.
async function rowOf(name, row) {
  if (!told.whole) return keep(`${name}?row=${row}`, async () => new Float32Array(await ask(`${name}?row=${row}`)));
  const number = Math.floor(row / told.block), count = Math.min(told.block, Math.max(1, told.rows) - number * told.block);
  const all = await keep(`${name}?block=${number}`, async () => unfold(await unpack(`${name}?block=${number}`), count));
  const n = all.length / count, from = (row % told.block) * n;
  return all.subarray(from, from + n);
}

// Answers of a host, which the page asks for.
const hosted = new Map();

async function ask(address) {
  if (told.hosted) {
    return new Promise((resolve, reject) => {
      hosted.set(address, { resolve, reject });
      postMessage({ need: address });
    });
  }
  const r = await fetch(address);
  if (!r.ok) throw new Error(`${address}: ${(await r.text()).trim()}`);
  return r.arrayBuffer();
}

// order fills a slot: eight numbers a body, of which the fourth is not used, six of velocities, and the balls of the groups of each set. A frame has seven numbers a body, then the six.
function order(frame, slot) {
  const n = told.bodies, buffer = slot.buffer ?? lent[slot.number], texels = new Float32Array(buffer, 0, slot.texels);
  for (let i = 0, a = 0, b = 0; i < n; i++, a += 8, b += 7) {
    texels[a] = frame[b];
    texels[a + 1] = frame[b + 1];
    texels[a + 2] = frame[b + 2];
    texels[a + 4] = frame[b + 3];
    texels[a + 5] = frame[b + 4];
    texels[a + 6] = frame[b + 5];
    texels[a + 7] = frame[b + 6];
  }
  new Float32Array(buffer, 4 * slot.texels, 6 * n).set(frame.subarray(7 * n, 13 * n));
  let at = slot.texels + 6 * n;
  for (const s of sets) {
    const length = 4 * s.counts.length;
    surround(s, texels, new Float32Array(buffer, 4 * at, length));
    at += length;
  }
}

// surround finds the ball around each group of things: those of one body each, or with two ends.
function surround({ firsts, counts, reach, bodies, places, ends }, texels, balls) {
  for (let k = 0; k < counts.length; k++) {
    let x0 = Infinity, y0 = Infinity, z0 = Infinity, x1 = -Infinity, y1 = -Infinity, z1 = -Infinity;
    for (let i = ends * firsts[k]; i < ends * (firsts[k] + counts[k]); i++) {
      const b = bodies[i], from = b < 0 ? places : texels, at = b < 0 ? 3 * i : 8 * b, x = from[at], y = from[at + 1], z = from[at + 2];
      if (x < x0) x0 = x;
      if (x > x1) x1 = x;
      if (y < y0) y0 = y;
      if (y > y1) y1 = y;
      if (z < z0) z0 = z;
      if (z > z1) z1 = z;
    }
    balls[4 * k] = (x0 + x1) / 2;
    balls[4 * k + 1] = (y0 + y1) / 2;
    balls[4 * k + 2] = (z0 + z1) / 2;
    balls[4 * k + 3] = Math.hypot(x1 - x0, y1 - y0, z1 - z0) / 2 + reach[k];
  }
}

// column returns a number of all rows, at a place of the frame.
async function column(at) {
  const out = new Float64Array(told.rows);
  for (let row = 0; row < told.rows; row++) out[row] = (await rowOf('frame', row))[at];
  return out;
}

const work = {
  tell(m) {
    told = m;
    rowOf('frame', 0).catch(() => {}); // which is asked for as soon as there is a slot
  },
  sets(m) {
    sets = m.sets;
    begin();
  },
  async frame({ slot, row, playing }) {
    const frame = await rowOf('frame', row);
    await begun;
    order(frame, slot);
    back(slot);
    for (let k = 1; playing && k <= ahead && row + k < told.rows; k++) rowOf('frame', row + k).catch(() => {}); // who asks for it is told
  },
  async given({ slot, buffer, from }) {
    await begun;
    order(new Float32Array(buffer, from), slot);
    back(slot);
  },
  piece({ path, text: t, last, error }) {
    const waits = texts.get(path);
    if (error) waits.reject(new Error(error));
    waits.pieces.push(t);
    if (last) waits.resolve(waits.pieces);
  },
  served({ address, buffer, error }) {
    const { resolve, reject } = hosted.get(address);
    hosted.delete(address);
    if (error) reject(new Error(error)); else resolve(buffer);
  },
  async get({ path, id }) { answer(id, await unpack(path)); },
  async row({ name, row, id }) { answer(id, (await rowOf(name, row)).slice().buffer); },
  async column({ at, id }) { answer(id, (await column(at)).buffer); },
};

// back says that a slot is filled, or why not. Memory that is not shared goes with it.
function back({ number, buffer }, error) {
  if (lent[number]) postMessage({ slot: { number }, error }); else postMessage({ slot: { number, buffer }, error }, [buffer]);
}

function answer(id, buffer) { postMessage({ id, buffer }, [buffer]); }

onmessage = async (e) => {
  const { slot } = e.data;
  if (slot?.buffer && !(slot.buffer instanceof ArrayBuffer)) lent[slot.number] = slot.buffer;
  try {
    await work[e.data.do](e.data);
  } catch (err) {
    if (e.data.slot) back(e.data.slot, err.message); else postMessage({ id: e.data.id, error: err.message });
  }
};
