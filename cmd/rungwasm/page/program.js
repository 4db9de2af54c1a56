// The program in its worker: questions with answers, and a host for each page of scene/view.

let module = null; // compiled once
let worker = null, started = null, asked = 0, models = 0, gone = null;
const waiting = new Map(); // answers, by number
const sockets = new Map(); // of pages, by model

// onGone calls a function when the program has ended by itself.
export function onGone(f) { gone = f; }

class Wrong extends Error {
  // A text that is the document of door.Details.
  constructor(text) {
    const details = JSON.parse(text);
    super(details.text);
    this.details = details;
  }
}

async function compile() {
  const answer = await fetch('rung.wasm');
  if (!answer.ok) throw new Error(`rung.wasm: ${answer.status} ${answer.statusText}`);
  return WebAssembly.compile(await answer.arrayBuffer()); // servers that do not know the type of .wasm are no trouble
}

// start makes a worker, and promises that the program in it is ready.
export function start() {
  started ??= (async () => {
    module ??= await compile();
    worker = new Worker('worker.js');
    await new Promise((resolve, reject) => {
      worker.onerror = (e) => reject(new Error(e.message || 'The worker cannot be started.'));
      worker.onmessage = ({ data }) => (data.ready ? resolve() : hear(data));
      worker.postMessage({ do: 'start', module });
    });
  })();
  return started;
}

// stop ends the worker, whatever it does. What has been asked is answered by an error without details.
export function stop(why) {
  worker?.terminate();
  worker = started = null;
  for (const { reject } of waiting.values()) reject(new Error(why));
  waiting.clear();
  sockets.forEach((s) => s.end(why));
}

function hear({ id, value, error, took, model, frame, status, ended, gone: end }) {
  if (id !== undefined) {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(new Wrong(error)); else resolve({ value, took });
  } else if (end !== undefined) {
    stop(end);
    gone?.(end);
  } else if (ended !== undefined) sockets.get(model)?.end(ended);
  else sockets.get(model)?.hear(frame ?? status);
}

async function ask(what, more) {
  await start();
  return new Promise((resolve, reject) => {
    waiting.set(++asked, { resolve, reject });
    worker.postMessage({ do: what, id: asked, ...more });
  });
}

// Socket is to a page of scene/view what a WebSocket is.
class Socket {
  constructor(model) {
    this.model = model;
    this.readyState = WebSocket.OPEN;
    this.status = null; // the last, for who listens
    sockets.set(model, this);
    setTimeout(() => this.onopen?.());
  }

  send(text) { if (this.readyState === WebSocket.OPEN) worker?.postMessage({ do: 'send', model: this.model, text }); }

  hear(data) {
    if (typeof data === 'string') this.status = JSON.parse(data);
    this.onmessage?.({ data });
  }

  end(reason) {
    if (this.readyState === WebSocket.CLOSED) return;
    this.readyState = WebSocket.CLOSED;
    sockets.delete(this.model);
    this.onclose?.({ reason });
  }
}

// open reads a text and promises its model, or throws an error with details. The one before is closed if it is read.
export async function open(name, text) {
  const model = ++models, { value } = await ask('open', { model, name, text });
  let socket = null;
  return {
    ...value,
    // host is what a frame's element has as rungHost.
    host: { get: async (address) => (await ask('get', { model, address })).value, socket: () => (socket = new Socket(model)) },
    get status() { return socket?.status ?? null; },
    document: (what) => ask('document', { model, what }),
    forget() { sockets.delete(model); },
  };
}
