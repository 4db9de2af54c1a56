// Draws a scene with WebGL 2: one call a kind of shape and level of detail. Poses of bodies are in textures, two texels a body, which Frames loads.

import { dot, norm, rotate } from './algebra.js';
import { programs } from './shaders.js';
import { box, cone, linkMesh, looks, meshes, solids } from './shapes.js';
import { bind, drawMesh, fill, filled, rounded, solid, surface, texture, Things } from './things.js';

const shapeFloats = 15, linkFloats = 14;

export class Drawing {
  // head is scene.json, shapes and links its arrays, surfaces those of its meshes: a point and a normal a corner, three corners a triangle.
  constructor(canvas, head, shapes, links, surfaces) {
    const gl = canvas.getContext('webgl2', { antialias: true });
    if (!gl) throw new Error('This browser has no WebGL 2.');
    this.gl = gl;
    this.canvas = canvas;
    this.size = { width: canvas.width, height: canvas.height }; // of the picture, in a corner of the canvas
    this.head = head;
    this.shapes = shapes;
    this.links = links;
    this.programs = programs(gl);
    this.from = this.to = null; // frames
    this.part = 0; // of the way from one to the other
    this.around = { middle: [0, 0, 0], radius: 0 }; // a ball around what is shown
    this.load(surfaces);
    this.grounds = [];
    this.grid = null; // height and step of a level grid, m
    this.bare = gl.createVertexArray();
    this.arrows = this.hand = null;
    this.options = { grid: true, joints: true, body: -1, joint: -1, force: -1 };
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
  }

  load(surfaces) {
    const gl = this.gl, fine = meshes(false).map((m) => solid(gl, m)), coarse = meshes(true).map((m) => solid(gl, m)), cube = solid(gl, box(true));
    this.rod = fine[2];
    this.cone = solid(gl, cone(12));
    const kinds = fine.map((m, k) => ({ count: this.head.shapes[k], meshes: [m, coarse[k], cube], set: (p, level) => {
      gl.uniform1i(p.at('uRound'), level < 2 && solids[k].round ? 1 : 0);
      gl.uniform2fv(p.at('uExtent'), level < 2 ? [1, 0] : solids[k].extent);
    } }));
    surfaces.forEach((data, k) => {
      const m = surface(gl, data);
      kinds.push({ count: this.head.shapes[fine.length + k], meshes: [m, m, m], set: (p) => {
        gl.uniform1i(p.at('uRound'), 0);
        gl.uniform2fv(p.at('uExtent'), [1, 0]);
      } });
    });
    this.shapeSet = new Things(gl, kinds, ...this.shapeThings(surfaces));
    this.colorTexels = new Uint8Array(4 * rounded(this.shapes.length / shapeFloats));
    this.colors = texture(gl, this.shapes.length / shapeFloats, gl.RGBA8);
    this.paint(null);
    const lines = looks.map(({ round }, look) => {
      const [near, small] = [false, true].map((few) => solid(gl, linkMesh(look, few)));
      return { count: this.head.links[look], meshes: [near, small, round ? small : cube], set: (p) => gl.uniform1i(p.at('uRound'), round ? 1 : 0) };
    });
    this.linkSet = new Things(gl, lines, linkTexels(this.links), linkThings(this.links));
  }

  // shapeThings returns the texels of shapes, and what Levels has to know of them. Texels: place and body, turn, size and joint, reach and the half of the longest way.
  shapeThings(surfaces) {
    const n = this.shapes.length / shapeFloats, texels = new Float32Array(4 * rounded(4 * n)), s = this.shapes;
    const things = { bodies: new Int32Array(n), places: new Float32Array(3 * n), reach: new Float32Array(n), long: new Float32Array(n), thick: new Float32Array(n) };
    const radii = surfaces.map((data) => {
      let r = 0;
      for (let i = 0; i < data.length; i += 6) r = Math.max(r, norm(data.subarray(i, i + 3)));
      return r;
    });
    this.head.shapes.reduce((first, count, kind) => {
      for (let i = first; i < first + count; i++) {
        const a = shapeFloats * i, b = 16 * i, x = s[a + 7], y = s[a + 8], z = s[a + 9] + (kind === 3 ? x : 0);
        for (let k = 0; k < 3; k++) texels[b + k] = s[a + k];
        texels[b + 3] = s[a + 13];
        for (let k = 0; k < 6; k++) texels[b + 4 + k] = s[a + 3 + k];
        texels[b + 10] = s[a + 9];
        texels[b + 11] = s[a + 14];
        let long = Math.max(x, y, z), thick = x + y + z - long - Math.min(x, y, z);
        if (kind >= solids.length) long = thick = radii[kind - solids.length];
        texels[b + 12] = long;
        texels[b + 13 + (long === z ? 2 : long === x ? 0 : 1)] = long;
        const body = s[a + 13];
        things.bodies[i] = body;
        if (body < 0) for (let k = 0; k < 3; k++) things.places[3 * i + k] = s[a + k];
        things.long[i] = 2 * long;
        things.thick[i] = 2 * thick;
        things.reach[i] = 1.75 * long + (body < 0 ? 0 : Math.hypot(s[a], s[a + 1], s[a + 2]));
      }
      return first + count;
    }, 0);
    return [texels, things];
  }

  // ground adds a terrain: columns, rows, place, steps, heights.
  ground(data) {
    const gl = this.gl, nx = data[0], ny = data[1], at = (i, j) => data[6 + j * nx + i];
    const points = new Float32Array(6 * nx * ny), indices = [];
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) {
        const dx = (at(Math.min(i + 1, nx - 1), j) - at(Math.max(i - 1, 0), j)) / (data[4] * (Math.min(i + 1, nx - 1) - Math.max(i - 1, 0)));
        const dy = (at(i, Math.min(j + 1, ny - 1)) - at(i, Math.max(j - 1, 0))) / (data[5] * (Math.min(j + 1, ny - 1) - Math.max(j - 1, 0)));
        const l = Math.hypot(dx, dy, 1);
        points.set([data[2] + i * data[4], data[3] + j * data[5], at(i, j), -dx / l, -dy / l, 1 / l], 6 * (j * nx + i));
        if (i + 1 < nx && j + 1 < ny && !Number.isNaN(at(i, j) + at(i + 1, j) + at(i, j + 1) + at(i + 1, j + 1))) {
          const a = j * nx + i;
          indices.push(a, a + 1, a + nx + 1, a, a + nx + 1, a + nx);
        }
      }
    }
    const vao = gl.createVertexArray();
    gl.bindVertexArray(vao);
    filled(gl, gl.ARRAY_BUFFER, points);
    [[0, 0], [1, 12]].forEach(([location, offset]) => {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, 3, gl.FLOAT, false, 24, offset);
    });
    filled(gl, gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(indices));
    this.grounds.push({ vao, count: indices.length });
  }

  // poses takes two whole frames (Frames). Between the two is shown what the part says.
  poses(from, to, part) {
    if (part === 0) to = from;
    if (from !== this.from || to !== this.to) {
      this.shapeSet.levels.move(from.balls[0], to.balls[0]);
      this.linkSet.levels.move(from.balls[1], to.balls[1]);
      this.surround();
    }
    this.from = from;
    this.to = to;
    this.part = part;
  }

  // surround finds a ball around all that is shown.
  surround() {
    const sets = [this.shapeSet.levels.balls, this.linkSet.levels.balls], { middle } = this.around;
    for (let k = 0; k < 3; k++) {
      let low = Infinity, high = -Infinity;
      for (const balls of sets) {
        for (let at = 0; at < balls.length; at += 4) {
          low = Math.min(low, balls[at + k] - balls[at + 3]);
          high = Math.max(high, balls[at + k] + balls[at + 3]);
        }
      }
      middle[k] = (low + high) / 2;
    }
    let radius = 0;
    for (const balls of sets) for (let at = 0; at < balls.length; at += 4) radius = Math.max(radius, Math.hypot(balls[at] - middle[0], balls[at + 1] - middle[1], balls[at + 2] - middle[2]) + balls[at + 3]);
    this.around.radius = radius;
  }

  // lay puts the grid below what is shown at first, with lines at round places of the world. Where there is ground, there is none.
  lay() {
    if (this.grounds.length || !(this.around.radius > 0)) return;
    const power = 10 ** Math.floor(Math.log10(this.head.radius / 4)), step = power * [5, 2, 1].find((k) => k * power <= this.head.radius / 4);
    this.grid = { height: this.head.low, step };
  }

  // level draws the grid around the target of the camera.
  level(camera, p) {
    const gl = this.gl, { height, step } = this.grid, [right, away] = camera.upright, [x, y] = [right, away].map((axis) => dot(axis, camera.target)), extent = 10 * camera.radius;
    gl.uniform3fv(p.at('uMiddle'), camera.turned([x, y, height]));
    gl.uniform3fv(p.at('uRight'), right);
    gl.uniform3fv(p.at('uAway'), away);
    gl.uniform1f(p.at('uExtent'), extent);
    gl.uniform1f(p.at('uStep'), step);
    gl.uniform2fv(p.at('uOffset'), [x + dot(right, this.head.center), y + dot(away, this.head.center)].map((v) => v % (5 * step)));
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA); // the picture stays opaque
    gl.depthMask(false);
    gl.disable(gl.CULL_FACE);
    gl.bindVertexArray(this.bare);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.enable(gl.CULL_FACE);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  // paint gives each shape the colour that color returns for its body and joint, or its own.
  paint(color) {
    const out = this.colorTexels;
    for (let i = 0, at = 0; at < this.shapes.length; i += 4, at += shapeFloats) {
      const c = color && color(this.shapes[at + 13], this.shapes[at + 14]);
      for (let k = 0; k < 3; k++) out[i + k] = 255 * (c ? c[k] : this.shapes[at + 10 + k]) + 0.5;
    }
    fill(this.gl, this.colors, out);
  }

  // setArrows shows arrows of the world, given as links without bodies.
  setArrows(data) { this.arrows = this.lines(this.arrows, data, this.cone); }

  // setHand shows what pulls, as a link, or nothing.
  setHand(data) { this.hand = this.lines(this.hand, data, this.rod); }

  // lines makes solids from end to end of an array of links, in the place of old ones.
  lines(old, data, mesh) {
    const gl = this.gl, count = data ? data.length / linkFloats : 0;
    if (old && old.count !== count) {
      gl.deleteVertexArray(old.vao);
      gl.deleteTexture(old.items);
      gl.deleteBuffer(old.numbers);
      old = null;
    }
    if (!count) return null;
    const texels = linkTexels(data);
    if (!old) {
      old = { count, mesh, items: texture(gl, 4 * count, gl.RGBA32F), vao: bind(gl, mesh), numbers: filled(gl, gl.ARRAY_BUFFER, Uint32Array.from({ length: count }, (_, i) => i)) };
      gl.vertexAttribIPointer(3, 1, gl.UNSIGNED_INT, 0, 0);
      gl.vertexAttribDivisor(3, 1);
    }
    fill(gl, old.items, texels);
    return old;
  }

  // place returns where a shape is in its body: its body, middle, axis and half length along that, which is 0 of one that is not long.
  place(i) {
    const s = this.shapes.subarray(shapeFloats * i, shapeFloats * (i + 1));
    let first = 0, kind = 0;
    while (kind < this.head.shapes.length - 1 && i >= first + this.head.shapes[kind]) first += this.head.shapes[kind++];
    return { body: s[13], at: [...s.subarray(0, 3)], axis: rotate([...s.subarray(3, 7)], [0, 0, 1]), half: kind === 2 || kind === 3 ? s[9] : 0 };
  }

  // draw draws all. back is the colour behind it.
  draw(camera, back) {
    const gl = this.gl;
    gl.viewport(0, 0, this.size.width, this.size.height);
    gl.clearColor(back[0], back[1], back[2], 1);
    this.pass(camera, false);
  }

  pass(camera, pick) {
    const gl = this.gl, { width, height } = pick ? this.canvas : this.size, { right, up, eye: back } = camera.axes(), view = camera.view(width, height), matrix = camera.matrix(width / height);
    this.shapeSet.choose(view);
    this.linkSet.choose(view);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const light = [0, 1, 2].map((k) => -0.35 * right[k] + 0.55 * up[k] + 0.757 * back[k]);
    const bound = (unit, t) => { gl.activeTexture(gl.TEXTURE0 + unit); gl.bindTexture(gl.TEXTURE_2D, t); };
    bound(0, this.from.texture);
    bound(1, this.to.texture);
    bound(3, this.colors);
    const use = (name, items) => {
      const p = this.programs[name];
      bound(2, items);
      gl.activeTexture(gl.TEXTURE0);
      gl.useProgram(p.program);
      gl.uniformMatrix4fv(p.at('uMatrix'), false, matrix);
      gl.uniform1f(p.at('uPart'), this.part);
      gl.uniform1f(p.at('uPixels'), view.pixels);
      gl.uniform1i(p.at('uPick'), pick ? 1 : 0);
      gl.uniform3fv(p.at('uLight'), light);
      gl.uniform3fv(p.at('uEye'), back);
      gl.uniform1i(p.at('uJoints'), this.options.joints ? 1 : 0);
      gl.uniform1f(p.at('uBody'), this.options.body);
      gl.uniform1f(p.at('uJoint'), this.options.joint);
      gl.uniform1f(p.at('uForce'), this.options.force);
      gl.uniform1i(p.at('uFirst'), this.shapes.length / shapeFloats);
      return p;
    };
    for (const [far, shape, link] of [[false, 'shape', 'link'], [true, 'farShape', 'farLink']]) {
      this.shapeSet.draw(use(shape, this.shapeSet.items), far);
      this.linkSet.draw(use(link, this.linkSet.items), far);
    }
    if (this.grounds.length) {
      use('ground', null);
      gl.disable(gl.CULL_FACE);
      for (const g of this.grounds) {
        gl.bindVertexArray(g.vao);
        gl.drawElements(gl.TRIANGLES, g.count, gl.UNSIGNED_INT, 0);
      }
      gl.enable(gl.CULL_FACE);
    }
    if (pick) return;
    if (this.grid && this.options.grid) this.level(camera, use('grid', null));
    gl.disable(gl.DEPTH_TEST); // before all else, as their ends lie within bodies
    for (const set of [this.arrows, this.hand]) {
      if (!set) continue;
      const p = use('link', set.items);
      gl.uniform1i(p.at('uForm'), 0);
      gl.uniform1i(p.at('uRound'), 0);
      gl.bindVertexArray(set.vao);
      drawMesh(gl, set.mesh, set.count);
    }
    gl.enable(gl.DEPTH_TEST);
  }

  // pick returns what is at a pixel of the canvas, or nearest to it within three pixels: { body, joint, force }, each −1 where it is none, or null.
  pick(camera, x, y) {
    const gl = this.gl, w = this.canvas.width, h = this.canvas.height, near = 3, side = 2 * near + 1;
    const frame = gl.createFramebuffer(), color = gl.createRenderbuffer(), depth = gl.createRenderbuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.bindRenderbuffer(gl.RENDERBUFFER, color);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, w, h);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, color);
    gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, w, h);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
    gl.viewport(0, 0, w, h);
    gl.enable(gl.SCISSOR_TEST); // the rest of the picture is not needed
    gl.scissor(x - near, h - 1 - y - near, side, side);
    gl.clearColor(0, 0, 0, 0);
    this.pass(camera, true);
    gl.disable(gl.SCISSOR_TEST);
    const p = new Uint8Array(4 * side * side);
    gl.readPixels(x - near, h - 1 - y - near, side, side, gl.RGBA, gl.UNSIGNED_BYTE, p);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(frame);
    gl.deleteRenderbuffer(color);
    gl.deleteRenderbuffer(depth);
    let i = -1, least = Infinity;
    for (let k = 0; k < side * side; k++) {
      const number = p[4 * k] + 256 * p[4 * k + 1] + 65536 * p[4 * k + 2] - 1, d = Math.hypot(k % side - near, Math.floor(k / side) - near);
      if (number >= 0 && d < least && d <= near) [i, least] = [number, d];
    }
    const n = this.shapes.length / shapeFloats;
    if (i < 0) return null;
    if (i < n) return { body: this.shapes[shapeFloats * i + 13], joint: this.shapes[shapeFloats * i + 14], force: -1, shape: i };
    const at = linkFloats * (i - n);
    return at < this.links.length ? { body: -1, joint: this.links[at + 12], force: this.links[at + 13] } : null;
  }
}

// linkTexels are four texels a link: both ends with their bodies, radius and colour, joint and force.
function linkTexels(links) {
  const n = links.length / linkFloats, out = new Float32Array(4 * rounded(4 * n));
  for (let i = 0; i < n; i++) out.set(links.subarray(linkFloats * i, linkFloats * (i + 1)), 16 * i);
  return out;
}

// linkThings is what Levels has to know of links. They are as long as their ends are apart.
function linkThings(links) {
  const n = links.length / linkFloats, things = { bodies: new Int32Array(2 * n), places: new Float32Array(6 * n), reach: new Float32Array(n), long: null, thick: new Float32Array(n) };
  for (let i = 0; i < n; i++) {
    const l = links.subarray(linkFloats * i, linkFloats * (i + 1));
    for (let end = 0; end < 2; end++) {
      const point = l.subarray(4 * end, 4 * end + 3), body = l[4 * end + 3];
      things.bodies[2 * i + end] = body;
      things.places.set(point, 6 * i + 3 * end);
      things.reach[i] = Math.max(things.reach[i], l[8] + (body < 0 ? 0 : norm(point)));
    }
    things.thick[i] = 2 * l[8];
  }
  return things;
}
