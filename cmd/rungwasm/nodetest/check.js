// A test of rung.wasm in Node, and what an evaluation takes: node check.js FOLDER-OF-THE-PLAYGROUND
'use strict';
const assert = require('assert'), fs = require('fs'), path = require('path'), { performance } = require('perf_hooks');
const folder = process.argv[2];
require(path.resolve(folder, 'wasm_exec.js'));

const bytes = (x) => new Uint8Array(x.buffer);
const model = (name) => fs.readFileSync(path.join(folder, 'models', `${name}.json`), 'utf8');

function good(result) {
  assert.strictEqual(result.error, undefined);
  return result.value;
}

function bad(result, status, text) {
  const d = JSON.parse(result.error);
  assert.strictEqual(d.status, status, d.text);
  assert.match(d.text, text);
  return d;
}

// documents: the numbers of accel are those of the document, and errors have their places.
function documents() {
  const m = good(rung.read('model', model('four-bar'), '')), sizes = JSON.parse(m.sizes);
  const state = new Float64Array(sizes.State), acc = new Float64Array(6 * sizes.Bodies);
  good(m.initial(bytes(state)));
  good(m.accel(bytes(state), bytes(acc)));
  const told = JSON.parse(good(m.document('accel', '')));
  told.bodies.forEach((b, i) => [...b.angular_acceleration, ...b.com_acceleration].forEach((x, k) => assert(Math.abs(x - acc[6 * i + k]) < 1e-12, `${b.name} ${k}`))); // rounding: the document refines further
  bad(m.accel(new Uint8Array(8), bytes(acc)), 5, /state has \d+ numbers/);
  bad(m.accel([], bytes(acc)), 1, /no Uint8Array/);
  bad(m.accel(), 1, /takes 2 arguments/);
  state[1] = NaN;
  bad(m.accel(bytes(state), bytes(acc)), 2, /crank/);
  bad(m.document('akcel', ''), 1, /accel/);
  bad(m.run('{"untill": 1}'), 1, /untill/);
  const wrong = bad(rung.read('model', model('four-bar').replace('"mass": 1', '"mass": -1'), ''), 1, /mass/);
  assert.strictEqual(wrong.problems[0].path, '$.bodies[0].mass');
  bad(rung.read('model', '{,', ''), 1, /syntax|line 1/);
  bad(rung.read('model.urdf', '<robot name="a">\n</robt>', ''), 1, /:2:/);
  good(m.close());
}

// places: the path of an error leads to its line, where a long name in it is cut, too.
async function places() {
  const { place, line } = await import(`data:text/javascript,${encodeURIComponent(fs.readFileSync(path.join(folder, 'places.js'), 'utf8'))}`);
  for (const name of ['mas', 'a_name_that_is_as_long_as_lines_are_wide_and_longer_than_what_a_path_has_of_it']) {
    const text = model('four-bar').replace('"mass"', `"${name}"`);
    const wrong = bad(rung.read('model', text, ''), 1, /unknown field/).problems.find((p) => p.path.includes(name.slice(0, 9)));
    assert.strictEqual(line(text, place(text, wrong.path).start), line(text, text.indexOf(name)), name);
  }
}

// runs: any budget leads to the same bits.
function runs() {
  const m = good(rung.read('model', model('four-bar'), '')), size = JSON.parse(m.sizes).State;
  const ends = [0, 0.001, 0.02].map((budget) => {
    const r = good(m.run('')), state = new Float64Array(size);
    let calls = 1;
    while (good(r.to(2, budget))) calls++;
    assert.strictEqual(r.time().value, 2);
    good(r.state(bytes(state)));
    assert.strictEqual(JSON.parse(good(r.document())).time, 2);
    good(r.close());
    return [...state];
  });
  assert.deepStrictEqual(ends[1], ends[0]);
  assert.deepStrictEqual(ends[2], ends[0]);
}

// moving: frames and statuses come while the page looks, and a wrong message ends it.
async function moving() {
  let frames = 0, status = null, end;
  const ended = new Promise((resolve) => { end = resolve; });
  const m = good(rung.open('model', model('stewart'), '', { frame: () => { frames++; }, status: (s) => { status = JSON.parse(s); }, ended: end }));
  assert.strictEqual(m.closed, false);
  good(m.send('{"type": "look", "on": true}'));
  while (frames < 10 || !(status?.time > 0.1)) await new Promise((r) => setTimeout(r, 10));
  assert(JSON.parse(good(m.document('accel', ''))).time > 0);
  assert.strictEqual(JSON.parse(new TextDecoder().decode(good(m.get('scene.json')))).bodies, JSON.parse(m.sizes).Bodies);
  bad(m.get('nothing'), 2, /no such row/);
  good(m.send('{"type": "fly"}'));
  assert.match(await ended, /fly/);
  good(m.close());
}

// time prints the least CPU time of an evaluation, s.
function time(name) {
  const m = good(rung.read('model', model(name), '')), sizes = JSON.parse(m.sizes), state = new Float64Array(sizes.State), acc = new Float64Array(6 * sizes.Bodies);
  good(m.initial(bytes(state)));
  const s = bytes(state), a = bytes(acc), n = 500;
  let best = Infinity;
  for (let k = 0; k < 12; k++) {
    const begun = process.cpuUsage();
    for (let i = 0; i < n; i++) m.accel(s, a);
    const { user, system } = process.cpuUsage(begun);
    best = Math.min(best, (user + system) / n);
  }
  console.log(`${name}: ${sizes.Bodies} bodies, ${best.toFixed(1)} µs an evaluation`);
}

async function main() {
  const go = new Go(), begun = performance.now();
  const compiled = await WebAssembly.compile(fs.readFileSync(path.join(folder, 'rung.wasm'))), then = performance.now();
  const ready = new Promise((resolve) => { globalThis.rungReady = resolve; });
  go.run(await WebAssembly.instantiate(compiled, go.importObject));
  await ready;
  console.log(`compiled in ${(then - begun).toFixed(0)} ms, started in ${(performance.now() - then).toFixed(0)} ms`);
  documents();
  await places();
  runs();
  await moving();
  ['four-bar', 'stewart', 'miura'].forEach(time);
  console.log('ok');
}

main().then(() => process.exit(0), (err) => { console.error(err); process.exit(1); });
