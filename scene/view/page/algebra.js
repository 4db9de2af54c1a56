// Vectors and matrices of the camera. Matrices are columns, as WebGL takes them.

export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const norm = (a) => Math.hypot(a[0], a[1], a[2]);

// rotate turns v by the quaternion q = x y z w.
export function rotate(q, v) {
  const u = [q[0], q[1], q[2]];
  const t = add(cross(u, v), scale(v, q[3]));
  return add(v, scale(cross(u, t), 2));
}

// multiply returns a·b of 4×4 matrices.
export function multiply(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++) {
    for (let r = 0; r < 4; r++) {
      let s = 0;
      for (let k = 0; k < 4; k++) s += a[4 * k + r] * b[4 * c + k];
      out[4 * c + r] = s;
    }
  }
  return out;
}

// Camera looks at a target from a distance. upright has, row by row, the columns to the right, away from an eye in front and up.
export class Camera {
  constructor(radius, upright) {
    this.upright = [0, 1, 2].map((k) => [upright[k], upright[3 + k], upright[6 + k]]);
    this.target = [0, 0, 0];
    this.azimuth = -Math.PI / 3;
    this.elevation = 0.42;
    this.first = this.radius = radius; // of what fills the window
    this.slack = null; // by how much the first ball of hold is too large
    this.leash = null; // how far keep lets the middle of all be from the target; null: not known yet
    this.distance = 1;
    this.rise = 0; // of the target above the middle of the picture, as a part of half its height
    this.room = 1; // that is free around the target, as a part of the height
    this.fit(1);
  }

  // fit goes so far back that a ball of the radius fills the window; aspect is width over height.
  fit(aspect) {
    this.zoomed = false; // or shifted, by the user
    this.distance = 1.05 * this.radius / Math.sin(this.angle / 2) / Math.min(this.room, aspect);
  }

  // hold keeps what is in a ball in the picture: it shows up to half as much again as at first, or the whole ball, and then goes with it.
  hold({ middle, radius }, aspect) {
    const way = sub(middle, this.target), need = norm(way) + radius;
    this.slack ??= Math.max(0, need - this.radius);
    const over = need - this.slack;
    if (!(over > this.radius) || !Number.isFinite(over)) return;
    this.radius = Math.max(this.radius, radius - this.slack, Math.min(over, 1.5 * this.first));
    if (over > this.radius) this.target = add(this.target, scale(way, (over - this.radius) / norm(way)));
    this.fit(aspect);
  }

  // keep goes with the middle of a ball that moves out of the picture that the user has chosen, or further out than it was then.
  keep({ middle }, aspect) {
    const { right, up } = this.axes(), way = sub(middle, this.target), x = dot(right, way), y = dot(up, way), off = Math.hypot(x, y);
    this.leash ??= Math.max(off, 0.8 * this.distance * Math.tan(this.angle / 2) * Math.min(this.room, aspect));
    if (!(off > this.leash) || !Number.isFinite(off)) return;
    const s = 1 - this.leash / off;
    this.target = add(this.target, add(scale(right, s * x), scale(up, s * y)));
  }

  // reset shows what was shown at first.
  reset(aspect) {
    this.target = [0, 0, 0];
    this.radius = this.first;
    this.fit(aspect);
  }

  get angle() { return 0.6; }

  // axes returns the directions to the right, up and towards the eye.
  axes() {
    const sa = Math.sin(this.azimuth), ca = Math.cos(this.azimuth), se = Math.sin(this.elevation), ce = Math.cos(this.elevation);
    const eye = this.turned([ce * ca, ce * sa, se]), right = this.turned([-sa, ca, 0]);
    return { right, up: cross(eye, right), eye };
  }

  // turned takes components along the upright axes to the world.
  turned([x, y, z]) {
    const [right, away, up] = this.upright;
    return add(add(scale(right, x), scale(away, y)), scale(up, z));
  }

  // matrix takes points of the world to the cube of WebGL.
  matrix(aspect) {
    const { right, up, eye } = this.axes();
    const at = add(this.target, scale(eye, this.distance));
    const view = new Float32Array([right[0], up[0], eye[0], 0, right[1], up[1], eye[1], 0, right[2], up[2], eye[2], 0, -dot(right, at), -dot(up, at), -dot(eye, at), 1]);
    const near = Math.max(this.distance - 12 * this.radius, this.distance * 0.01), far = this.distance + 12 * this.radius;
    const f = 1 / Math.tan(this.angle / 2);
    const project = new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, -this.rise, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
    return multiply(project, view);
  }

  // view is what Levels has to know: where the eye is, its axes, the edges of a picture of width and height, and the pixels of one metre at the distance of one.
  view(width, height) {
    const { right, up, eye: back } = this.axes(), t = Math.tan(this.angle / 2), edges = [Math.atan(t * width / height), Math.atan(t * (1 + Math.abs(this.rise)))];
    return { eye: add(this.target, scale(back, this.distance)), right, up, back, sine: edges.map(Math.sin), cosine: edges.map(Math.cos), distance: this.distance, pixels: height / 2 / t };
  }

  turn(dx, dy) {
    this.leash = null;
    this.azimuth -= dx;
    this.elevation = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, this.elevation + dy));
  }

  // shift moves the target by pixels of a window of some height.
  shift(dx, dy, height) {
    this.zoomed = true;
    this.leash = null;
    const { right, up } = this.axes();
    const s = 2 * this.distance * Math.tan(this.angle / 2) / height;
    this.target = add(this.target, add(scale(right, -dx * s), scale(up, dy * s)));
  }

  zoom(factor) {
    this.zoomed = true;
    this.leash = null;
    this.distance = Math.max(1e-4 * this.radius, Math.min(100 * this.radius, this.distance * factor));
  }
}
