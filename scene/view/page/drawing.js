// Draws a scene with WebGL 2: one call a kind of shape. Poses of bodies are in textures, two texels a body, so that a frame costs one upload
// whatever the number of shapes.

import { rotate } from './algebra.js';
import { cone, meshes } from './shapes.js';

const common = `#version 300 es
precision highp float;
precision highp int;
uniform highp sampler2D uFrom, uTo;
uniform float uPart;
uniform int uWidth;
vec3 rot(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec4 texel(highp sampler2D s, int i) { return texelFetch(s, ivec2(i % uWidth, i / uWidth), 0); }
void pose(float body, out vec3 p, out vec4 q) {
  p = vec3(0.0);
  q = vec4(0.0, 0.0, 0.0, 1.0);
  if (body < 0.0) return;
  int i = 2 * int(body);
  p = mix(texel(uFrom, i).xyz, texel(uTo, i).xyz, uPart);
  vec4 a = texel(uFrom, i + 1), b = texel(uTo, i + 1);
  q = normalize(mix(a, dot(a, b) < 0.0 ? -b : b, uPart));
}
uniform mat4 uMatrix;
uniform int uFirst;
flat out vec3 vColor;
flat out int vNumber;
out vec3 vNormal;
`;

const shapeSource = common + `
layout(location=0) in vec3 aPoint;
layout(location=1) in vec3 aNormal;
layout(location=2) in float aShift;
layout(location=3) in vec3 iPlace;
layout(location=4) in vec4 iTurn;
layout(location=5) in vec3 iSize;
layout(location=6) in vec3 iColor;
layout(location=7) in vec2 iOf;
uniform bool uRound, uJoints;
uniform float uBody, uJoint;
void main() {
  vec3 p = aPoint * (uRound ? vec3(iSize.x) : iSize) + vec3(0.0, 0.0, aShift * iSize.z);
  p = rot(iTurn, p) + iPlace;
  vec3 n = rot(iTurn, aNormal);
  vec3 at;
  vec4 q;
  pose(iOf.x, at, q);
  vNormal = rot(q, n);
  gl_Position = uMatrix * vec4(rot(q, p) + at, 1.0);
  if (iOf.y >= 0.0 && !uJoints) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  vColor = iColor;
  if (iOf.y >= 0.0 ? iOf.y == uJoint : iOf.x >= 0.0 && iOf.x == uBody) vColor = mix(vColor, vec3(1.0, 0.85, 0.1), 0.75);
  vNumber = uFirst + gl_InstanceID;
}`;

const linkSource = common + `
layout(location=0) in vec3 aPoint;
layout(location=1) in vec3 aNormal;
layout(location=3) in vec4 iA;
layout(location=4) in vec4 iB;
layout(location=5) in vec4 iLook;
layout(location=6) in vec2 iOf;
void main() {
  vec3 pa, pb;
  vec4 qa, qb;
  pose(iA.w, pa, qa);
  pose(iB.w, pb, qb);
  vec3 a = rot(qa, iA.xyz) + pa, b = rot(qb, iB.xyz) + pb, d = b - a;
  float l = length(d);
  vec3 z = l > 0.0 ? d / l : vec3(0.0, 0.0, 1.0);
  vec3 x = normalize(abs(z.x) > 0.9 ? vec3(0.0, 1.0, 0.0) - z * z.y : vec3(1.0, 0.0, 0.0) - z * z.x);
  mat3 E = mat3(x, cross(z, x), z);
  vNormal = E * aNormal;
  gl_Position = uMatrix * vec4(E * (aPoint * vec3(iLook.x, iLook.x, 0.5 * l)) + 0.5 * (a + b), 1.0);
  vColor = iLook.yzw;
  vNumber = uFirst + gl_InstanceID;
}`;

const groundSource = common + `
layout(location=0) in vec3 aPoint;
layout(location=1) in vec3 aNormal;
void main() {
  vNormal = aNormal;
  gl_Position = uMatrix * vec4(aPoint, 1.0);
  vColor = vec3(0.77, 0.745, 0.69);
  vNumber = -1;
}`;

const fragment = `#version 300 es
precision highp float;
precision highp int;
flat in vec3 vColor;
flat in int vNumber;
in vec3 vNormal;
uniform bool uPick;
uniform vec3 uLight;
out vec4 color;
void main() {
  if (uPick) {
    int n = vNumber + 1;
    color = vec4(float(n & 255), float((n >> 8) & 255), float((n >> 16) & 255), 255.0) / 255.0;
    return;
  }
  float s = 0.45 + 0.55 * max(0.0, dot(normalize(vNormal), uLight));
  color = vec4(vColor * s, 1.0);
}`;

const shapeFloats = 15, linkFloats = 14;

export class Drawing {
  // head is scene.json, shapes and links its arrays, surfaces those of its meshes: a point and a normal a corner, three corners a triangle.
  constructor(canvas, head, shapes, links, surfaces) {
    const gl = canvas.getContext('webgl2', { antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error('This browser has no WebGL 2.');
    this.gl = gl;
    this.canvas = canvas;
    this.head = head;
    this.shapes = shapes;
    this.links = links;
    this.surfaces = surfaces;
    this.colors = new Float32Array(shapes.length / shapeFloats * 3);
    for (let i = 0; i < this.colors.length / 3; i++) for (let k = 0; k < 3; k++) this.colors[3 * i + k] = shapes[shapeFloats * i + 10 + k];
    this.programs = { shape: program(gl, shapeSource), link: program(gl, linkSource), ground: program(gl, groundSource) };
    this.width = 2048;
    this.height = Math.max(1, Math.ceil(2 * head.bodies / this.width));
    this.from = this.texture();
    this.to = this.texture();
    this.buffers();
    this.grounds = [];
    this.arrows = null;
    this.options = { joints: true, body: -1, joint: -1 };
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
  }

  texture() {
    const gl = this.gl, t = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, t);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, this.width, this.height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    return t;
  }

  buffers() {
    const gl = this.gl, n = this.head.shapes, many = this.shapes.length / shapeFloats > 20000;
    this.solids = [...meshes(many), cone(12)].map((m) => ({ vertices: filled(gl, gl.ARRAY_BUFFER, new Float32Array(m.vertices)),
      indices: filled(gl, gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(m.indices)), count: m.indices.length }));
    this.instances = filled(gl, gl.ARRAY_BUFFER, this.shapes);
    this.colorBuffer = filled(gl, gl.ARRAY_BUFFER, this.colors);
    this.kinds = [];
    let first = 0;
    for (let k = 0; k < n.length; k++) {
      const vao = gl.createVertexArray();
      gl.bindVertexArray(vao);
      if (k < 4) this.mesh(this.solids[k]); else this.surface(this.surfaces[k - 4]);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
      const at = first * shapeFloats * 4;
      instance(gl, 3, 3, shapeFloats, at);
      instance(gl, 4, 4, shapeFloats, at + 12);
      instance(gl, 5, 3, shapeFloats, at + 28);
      instance(gl, 7, 2, shapeFloats, at + 52);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.colorBuffer);
      instance(gl, 6, 3, 3, first * 12);
      this.kinds.push({ vao, first, count: n[k], kind: k, corners: k < 4 ? 0 : this.surfaces[k - 4].length / 6 });
      first += n[k];
    }
    this.linkSet = this.lines(this.links, this.solids[2]);
  }

  mesh(solid) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, solid.vertices);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, solid.indices);
    [[0, 3, 0], [1, 3, 12], [2, 1, 24]].forEach(([location, size, offset]) => {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, gl.FLOAT, false, 28, offset);
    });
  }

  surface(data) {
    const gl = this.gl;
    filled(gl, gl.ARRAY_BUFFER, data);
    [[0, 0], [1, 12]].forEach(([location, offset]) => {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, 3, gl.FLOAT, false, 24, offset);
    });
  }

  // lines makes solids from end to end of an array of links.
  lines(data, solid) {
    const gl = this.gl, vao = gl.createVertexArray();
    gl.bindVertexArray(vao);
    this.mesh(solid);
    const buffer = filled(gl, gl.ARRAY_BUFFER, data);
    instance(gl, 3, 4, linkFloats, 0);
    instance(gl, 4, 4, linkFloats, 16);
    instance(gl, 5, 4, linkFloats, 32);
    instance(gl, 6, 2, linkFloats, 48);
    return { vao, buffer, solid, count: data.length / linkFloats };
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

  // poses loads frames: each has seven numbers a body. Between the two is shown what the part says.
  poses(from, to, part) {
    if (from !== this.shownFrom) this.upload(this.from, from);
    if (part > 0 && to !== this.shownTo) {
      this.upload(this.to, to);
      this.shownTo = to;
    }
    this.shownFrom = from;
    this.part = part;
  }

  upload(texture, frame) {
    const gl = this.gl, n = this.head.bodies;
    this.scratch ??= new Float32Array(4 * this.width * this.height);
    const out = this.scratch;
    for (let i = 0, a = 0, b = 0; i < n; i++, a += 8, b += 7) {
      out[a] = frame[b];
      out[a + 1] = frame[b + 1];
      out[a + 2] = frame[b + 2];
      out[a + 4] = frame[b + 3];
      out[a + 5] = frame[b + 4];
      out[a + 6] = frame[b + 5];
      out[a + 7] = frame[b + 6];
    }
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, this.width, this.height, gl.RGBA, gl.FLOAT, out);
  }

  // paint gives each shape the colour that color returns for its body and joint, or its own.
  paint(color) {
    for (let i = 0; i < this.colors.length / 3; i++) {
      const at = shapeFloats * i, c = color && color(this.shapes[at + 13], this.shapes[at + 14]);
      for (let k = 0; k < 3; k++) this.colors[3 * i + k] = c ? c[k] : this.shapes[at + 10 + k];
    }
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colorBuffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.colors);
  }

  // setArrows shows arrows of the world, given as links without bodies.
  setArrows(data) {
    const gl = this.gl;
    if (this.arrows) {
      gl.deleteVertexArray(this.arrows.vao);
      gl.deleteBuffer(this.arrows.buffer);
    }
    this.arrows = data && data.length ? this.lines(data, this.solids[4]) : null;
  }

  // setHand shows what pulls, as a link, or nothing.
  setHand(data) {
    const gl = this.gl;
    if (this.hand) {
      gl.deleteVertexArray(this.hand.vao);
      gl.deleteBuffer(this.hand.buffer);
    }
    this.hand = data ? this.lines(data, this.solids[2]) : null;
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
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(back[0], back[1], back[2], 1);
    this.pass(camera, false);
  }

  pass(camera, pick) {
    const gl = this.gl, aspect = this.canvas.width / this.canvas.height, matrix = camera.matrix(aspect), { right, up, eye } = camera.axes();
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.from);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.to);
    gl.activeTexture(gl.TEXTURE0);
    const light = [0, 1, 2].map((k) => -0.35 * right[k] + 0.55 * up[k] + 0.757 * eye[k]);
    const use = (p) => {
      gl.useProgram(p.program);
      gl.uniformMatrix4fv(p.at('uMatrix'), false, matrix);
      gl.uniform1i(p.at('uFrom'), 0);
      gl.uniform1i(p.at('uTo'), 1);
      gl.uniform1i(p.at('uWidth'), this.width);
      gl.uniform1f(p.at('uPart'), this.part || 0);
      gl.uniform1i(p.at('uPick'), pick ? 1 : 0);
      gl.uniform3fv(p.at('uLight'), light);
    };
    const s = this.programs.shape;
    use(s);
    gl.uniform1i(s.at('uJoints'), this.options.joints ? 1 : 0);
    gl.uniform1f(s.at('uBody'), this.options.body);
    gl.uniform1f(s.at('uJoint'), this.options.joint);
    for (const k of this.kinds) {
      if (!k.count) continue;
      gl.bindVertexArray(k.vao);
      gl.uniform1i(s.at('uRound'), k.kind === 1 || k.kind === 3 ? 1 : 0);
      gl.uniform1i(s.at('uFirst'), k.first);
      if (k.corners) gl.drawArraysInstanced(gl.TRIANGLES, 0, k.corners, k.count);
      else gl.drawElementsInstanced(gl.TRIANGLES, this.solids[k.kind].count, gl.UNSIGNED_SHORT, 0, k.count);
    }
    const l = this.programs.link;
    use(l);
    gl.uniform1i(l.at('uFirst'), this.shapes.length / shapeFloats);
    this.drawLines(this.linkSet);
    use(this.programs.ground);
    gl.disable(gl.CULL_FACE);
    for (const g of this.grounds) {
      gl.bindVertexArray(g.vao);
      gl.drawElements(gl.TRIANGLES, g.count, gl.UNSIGNED_INT, 0);
    }
    gl.enable(gl.CULL_FACE);
    if ((this.arrows || this.hand) && !pick) { // before all else, as their ends lie within bodies
      use(l);
      gl.disable(gl.DEPTH_TEST);
      if (this.arrows) this.drawLines(this.arrows);
      if (this.hand) this.drawLines(this.hand);
      gl.enable(gl.DEPTH_TEST);
    }
  }

  drawLines(set) {
    if (!set.count) return;
    this.gl.bindVertexArray(set.vao);
    this.gl.drawElementsInstanced(this.gl.TRIANGLES, set.solid.count, this.gl.UNSIGNED_SHORT, 0, set.count);
  }

  // pick returns what is at a pixel of the canvas: { body, joint, force }, each −1 where it is none, or null.
  pick(camera, x, y) {
    const gl = this.gl, w = this.canvas.width, h = this.canvas.height;
    const frame = gl.createFramebuffer(), color = gl.createRenderbuffer(), depth = gl.createRenderbuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.bindRenderbuffer(gl.RENDERBUFFER, color);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, w, h);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, color);
    gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, w, h);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
    gl.viewport(0, 0, w, h);
    gl.clearColor(0, 0, 0, 0);
    this.pass(camera, true);
    const p = new Uint8Array(4);
    gl.readPixels(x, h - 1 - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, p);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(frame);
    gl.deleteRenderbuffer(color);
    gl.deleteRenderbuffer(depth);
    const i = p[0] + 256 * p[1] + 65536 * p[2] - 1, n = this.shapes.length / shapeFloats;
    if (i < 0) return null;
    if (i < n) return { body: this.shapes[shapeFloats * i + 13], joint: this.shapes[shapeFloats * i + 14], force: -1, shape: i };
    const at = linkFloats * (i - n);
    return at < this.links.length ? { body: -1, joint: this.links[at + 12], force: this.links[at + 13] } : null;
  }
}

function filled(gl, target, data) {
  const b = gl.createBuffer();
  gl.bindBuffer(target, b);
  gl.bufferData(target, data, gl.STATIC_DRAW);
  return b;
}

function instance(gl, location, size, floats, offset) {
  gl.enableVertexAttribArray(location);
  gl.vertexAttribPointer(location, size, gl.FLOAT, false, 4 * floats, offset);
  gl.vertexAttribDivisor(location, 1);
}

function program(gl, vertex) {
  const p = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const s = gl.createShader(type);
    gl.shaderSource(s, source);
    gl.compileShader(s);
    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
    gl.attachShader(p, s);
  }
  gl.linkProgram(p);
  if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(p));
  const places = new Map();
  return { program: p, at(name) {
    if (!places.has(name)) places.set(name, gl.getUniformLocation(p, name));
    return places.get(name);
  } };
}
