// Where the numbers of the page come from: the server, the page itself if it is a file with all of them, or a host. Frames come by the worker in any case.

const parts = new Map([...document.querySelectorAll('script[data-path]')].map((e) => [e.dataset.path, e]));

// whole says that the page is a file: nothing can be asked that is not in it.
export const whole = parts.size > 0;

// host is a program in this browser that answers in place of a server, if the page is in a frame whose element has one: get(address) promises a buffer, and socket() returns what a WebSocket is.
export const host = window.frameElement?.rungHost ?? null;

const worker = new Worker(import.meta.resolve('./worker.js'));
const waiting = new Map(); // answers, by number
let asked = 0, filled = null;

// onSlot calls a function with each slot that the worker has filled, or not: then there is an error.
export function onSlot(f) { filled = f; }

// tell sends the worker something that has no answer, or whose answer is a slot.
export function tell(what, more, memory = []) { worker.postMessage({ do: what, ...more }, memory); }

// call sends something and returns the numbers that are the answer.
export function call(what, more) {
  return new Promise((resolve, reject) => {
    waiting.set(++asked, { resolve, reject });
    worker.postMessage({ do: what, id: asked, ...more });
  });
}

worker.onmessage = ({ data }) => {
  if (data.need !== undefined && host) serve(data.need);
  else if (data.need !== undefined) give(data.need);
  else if (data.slot) filled(data.slot, data.error && new Error(data.error));
  else {
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error) reject(new Error(data.error)); else resolve(data.buffer);
  }
};
worker.onerror = (e) => { throw new Error(`The worker of the page: ${e.message || 'it cannot be started.'}`); };

// serve sends the worker what the host has at an address.
function serve(address) {
  host.get(address).then((buffer) => tell('served', { address, buffer }, [buffer]), (err) => tell('served', { address, error: err.message }));
}

const piece = 1 << 16, time = 0.5; // characters; ms at once

// give sends the text of a part of the file to the worker, in pieces, so that no picture has to wait for a long one.
function give(path) {
  const element = parts.get(path);
  if (!element) {
    tell('piece', { path, error: `${path} is not in this file.` });
    return;
  }
  let node = element.firstChild, at = 0;
  const go = () => {
    const end = performance.now() + time;
    do {
      const data = node ? node.data : '', text = data.slice(at, at + piece);
      at += piece;
      if (node && at >= data.length) {
        node = node.nextSibling;
        at = 0;
      }
      tell('piece', { path, text, last: !node });
    } while (node && performance.now() < end);
    if (node) setTimeout(go);
  };
  go();
}

const escaped = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

// get returns what is at a path, of a row and a column if there is one.
export async function get(path, { as = 'arrayBuffer', row = null, column = null } = {}) {
  if (whole) {
    if (row !== null && ['forces', 'reactions'].includes(path)) return call('row', { name: path, row });
    const b = await call('get', { path: column !== null ? `${path}?column=${escaped(column)}` : row !== null && path !== 'report' ? `${path}?row=${row}` : path });
    return as === 'json' ? JSON.parse(new TextDecoder().decode(b)) : b;
  }
  const address = column !== null ? `${path}?column=${encodeURIComponent(column)}` : row !== null ? `${path}?row=${row}` : path;
  if (host) {
    const b = await host.get(address);
    return as === 'json' ? JSON.parse(new TextDecoder().decode(b)) : b;
  }
  const r = await fetch(address);
  if (!r.ok) throw new Error(`${address}: ${(await r.text()).trim()}`);
  return r[as]();
}
