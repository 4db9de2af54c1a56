// What the modules of the page share.

export const $ = (id) => document.getElementById(id);

// area is where the picture is in the window. The canvas may be stretched beyond it.
export const area = () => document.querySelector('main').getBoundingClientRect();

// page has the scene (head, and later names and joints), the drawing and what is shown of it.
export const page = {
  head: null, drawing: null, camera: null, times: null, names: null, joints: null,
  row: 0, time: 0, playing: false, speed: 1, frames: null, shown: null, pictures: 0, chosen: null, charts: [], dirty: true, arrows: null, follow: false,
};

// poseOf returns the pose of a body as it is drawn, or at the row before: place, then orientation x y z w.
export const poseOf = (i) => [0, 1, 2, 4, 5, 6, 7].map((k) => page.shown.poses[8 * i + k]);

// rateOf returns its velocity and angular velocity there.
export const rateOf = (i) => page.shown.rates.subarray(6 * i, 6 * i + 6);

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
