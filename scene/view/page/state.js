// What the modules of the page share.

export const $ = (id) => document.getElementById(id);

// page has the scene (head, and later names and joints), the drawing and what is shown of it.
export const page = {
  head: null, drawing: null, camera: null, times: null, names: null, joints: null,
  row: 0, time: 0, playing: false, speed: 1, frames: new Map(), waiting: new Set(), chosen: null, charts: [], dirty: true, arrows: null, follow: false, cost: 0, last: null,
};

// shown is the frame that is drawn, or was last.
export const shown = () => page.frames.get(page.row) ?? page.last;

// joint returns what joint k is.
export function joint(k) {
  const t = page.joints;
  return { name: page.names.joints[k], type: page.head.types[t[3 * k]], pred: t[3 * k + 1], succ: t[3 * k + 2] };
}

export function fail(err) {
  $('message').textContent = err.message;
  $('message').hidden = false;
}

// pressed returns whether a button is, or sets it.
export function pressed(name, value) {
  const b = document.querySelector(`[data-key="${name}"]`);
  if (value === undefined) return b.getAttribute('aria-pressed') === 'true';
  b.setAttribute('aria-pressed', String(value));
  return value;
}
