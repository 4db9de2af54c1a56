// Where the numbers of the page come from: the server, or the page itself if it is a file with all of them.

const parts = new Map([...document.querySelectorAll('script[data-path]')].map((e) => [e.dataset.path, e]));

// whole says that the page is a file: nothing can be asked that is not in it.
export const whole = parts.size > 0;

async function unpack(path) {
  const part = parts.get(path);
  if (!part) throw new Error(`${path} is not in this file.`);
  const bytes = Uint8Array.from(atob(part.textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

// rows undoes what pack in html.go does with a block of rows of single numbers.
function rows(packed, count) {
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

const blocks = new Map();
let size = 1, last = 1; // rows of a block, and of all

async function row(name, k) {
  const number = Math.floor(k / size), path = `${name}?block=${number}`;
  if (!blocks.has(path)) {
    blocks.set(path, unpack(path).then((b) => rows(b, Math.min(size, last - number * size))));
    if (blocks.size > 6) blocks.delete(blocks.keys().next().value); // the oldest
  }
  const b = await blocks.get(path), n = b.length / Math.min(size, last - number * size), from = (k % size) * n;
  return b.slice(from, from + n).buffer;
}

const escaped = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

// get returns what is at a path, of a row and a column if there is one.
export async function get(path, { as = 'arrayBuffer', row: k = null, column = null } = {}) {
  if (whole) {
    if (k !== null && ['frame', 'forces', 'reactions'].includes(path)) return row(path, k);
    const b = await unpack(column !== null ? `${path}?column=${escaped(column)}` : k !== null && path !== 'report' ? `${path}?row=${k}` : path);
    if (as !== 'json') return b;
    const value = JSON.parse(new TextDecoder().decode(b));
    if (path === 'scene.json') {
      size = value.block;
      last = Math.max(1, value.rows);
    }
    return value;
  }
  const address = column !== null ? `${path}?column=${encodeURIComponent(column)}` : k !== null ? `${path}?row=${k}` : path;
  const r = await fetch(address);
  if (!r.ok) throw new Error(`${address}: ${(await r.text()).trim()}`);
  return r[as]();
}
