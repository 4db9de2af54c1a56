// Runs Rung on a thread of its own, so that the page stays awake. It holds one model: what is opened takes the place of the one before.
//
// To it: start {module}, open {id, model, name, text}, get {id, model, address}, document {id, model, what}, send {model, text}.
// From it: ready; answers {id, value} or {id, error}; {model, frame}, {model, status} and {model, ended}; and gone if the program has ended.

importScripts('wasm_exec.js');

const none = JSON.stringify({ status: 3, text: 'The model has been replaced.' }); // door.Handle
let open = null; // number and object of the model

function answer(id, result, memory = []) { postMessage({ id, ...result }, memory); }

// of returns the model of a number, if it is still there.
function of(model) { return open?.model === model ? open.object : null; }

const work = {
  async start({ module }) {
    const go = new Go();
    const ready = new Promise((resolve) => { self.rungReady = resolve; });
    const instance = await WebAssembly.instantiate(module, go.importObject);
    go.run(instance).then(() => postMessage({ gone: 'The program has ended.' }), (err) => postMessage({ gone: err.message }));
    await ready;
    postMessage({ ready: true });
  },
  open({ id, model, name, text }) {
    const result = rung.open(name, text, '', {
      frame: (bytes) => postMessage({ model, frame: bytes.buffer }, [bytes.buffer]),
      status: (status) => postMessage({ model, status }),
      ended: (ended) => postMessage({ model, ended }),
    });
    if (result.error) {
      answer(id, { error: result.error });
      return;
    }
    open?.object.close();
    open = { model, object: result.value };
    answer(id, { value: { sizes: JSON.parse(result.value.sizes), closed: result.value.closed } });
  },
  get({ id, model, address }) {
    const { value, error = value ? undefined : none } = of(model)?.get(address) ?? {};
    answer(id, { value: value?.buffer, error }, value ? [value.buffer] : []);
  },
  document({ id, model, what }) {
    const begun = performance.now(), result = of(model)?.document(what, '') ?? { error: none };
    answer(id, { ...result, took: performance.now() - begun });
  },
  send({ model, text }) { of(model)?.send(text); },
};

onmessage = ({ data }) => { work[data.do](data); };
self.addEventListener('unhandledrejection', (e) => postMessage({ gone: e.reason?.message ?? 'The program cannot be started.' }));
