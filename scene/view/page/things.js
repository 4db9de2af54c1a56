// Things are many shapes or links in one texture. Those of one kind and level are drawn by one call; lines and points are those of all kinds.

import { BOX, LINE, Levels, Order, POINT } from './levels.js';

const width = 2048; // texels of a row, as the programs have it

// texture makes a texture of at least n texels.
export function texture(gl, n, format) {
  const t = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, t);
  gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, Math.max(1, Math.ceil(n / width)));
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  return t;
}

// rounded is how many texels whole rows have that hold n.
export const rounded = (n) => width * Math.max(1, Math.ceil(n / width));

// fill writes whole rows: floats, or bytes if data are.
export function fill(gl, t, data) {
  gl.bindTexture(gl.TEXTURE_2D, t);
  gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, data.length / 4 / width, gl.RGBA, data instanceof Uint8Array ? gl.UNSIGNED_BYTE : gl.FLOAT, data);
}

// fillRows writes some of the rows of texels of all of them, floats.
export function fillRows(gl, t, data, first, count) {
  gl.bindTexture(gl.TEXTURE_2D, t);
  gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, first, width, count, gl.RGBA, gl.FLOAT, data, 4 * width * first);
}

export function filled(gl, target, data) {
  const b = gl.createBuffer();
  gl.bindBuffer(target, b);
  gl.bufferData(target, data, gl.STATIC_DRAW);
  return b;
}

// solid loads a mesh of shapes.js.
export function solid(gl, m) {
  return { vertices: filled(gl, gl.ARRAY_BUFFER, new Float32Array(m.vertices)), indices: filled(gl, gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(m.indices)),
    stride: 28, size: m.vertices.length / 7, count: m.indices.length };
}

// surface loads the corners of triangles: a point and a normal each.
export function surface(gl, data) {
  return { vertices: filled(gl, gl.ARRAY_BUFFER, data), indices: null, stride: 24, size: data.length / 6, count: data.length / 6 };
}

// bind makes a vertex array of a mesh, or of none, for instances whose numbers are in a buffer.
export function bind(gl, mesh) {
  const vao = gl.createVertexArray();
  gl.bindVertexArray(vao);
  if (mesh) {
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.vertices);
    if (mesh.indices) gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.indices);
    [[0, 3, 0], [1, 3, 12], [2, 1, 24]].forEach(([location, size, offset]) => {
      if (offset >= mesh.stride) return;
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, gl.FLOAT, false, mesh.stride, offset);
    });
  }
  gl.enableVertexAttribArray(3);
  return vao;
}

// drawMesh draws it, count times.
export function drawMesh(gl, mesh, count) {
  if (mesh.indices) gl.drawElementsInstanced(gl.TRIANGLES, mesh.count, gl.UNSIGNED_SHORT, 0, count);
  else gl.drawArraysInstanced(gl.TRIANGLES, 0, mesh.count, count);
}

export class Things {
  // kinds: of each its count, its meshes of the levels FINE, COARSE and BOX, and set, which is called with the level before they are drawn. items has four texels
  // a thing, things is what Levels takes.
  constructor(gl, kinds, items, things) {
    this.gl = gl;
    this.count = things.reach.length;
    this.items = texture(gl, items.length / 4, gl.RGBA32F);
    fill(gl, this.items, items);
    this.levels = new Levels(kinds.map((k) => ({ count: k.count, vertices: [...k.meshes.map((m) => m.size), 2, things.long ? 1 : 2] })), things);
    this.buckets = kinds.flatMap((k) => k.meshes.map((mesh, level) => ({ vao: bind(gl, mesh), mesh, far: level >= BOX, form: 0, set: (p) => k.set?.(p, level) })));
    const lines = this.buckets.length, points = lines + (things.long ? 1 : 0);
    this.buckets.push({ vao: bind(gl, null), far: true, form: LINE - BOX }, { vao: bind(gl, null), far: true, form: POINT - BOX });
    const bucketOf = new Int32Array(5 * kinds.length); // of each kind and level
    kinds.forEach((_, kind) => bucketOf.set([3 * kind, 3 * kind + 1, 3 * kind + 2, lines, points], 5 * kind));
    this.order = new Order(this.levels, bucketOf, this.buckets.length);
    this.numbers = filled(gl, gl.ARRAY_BUFFER, this.order.list);
  }

  // choose finds what is drawn how in a view.
  choose(view) {
    if (!this.count || !this.levels.choose(view)) return;
    const gl = this.gl, { first, list } = this.order;
    this.order.sort();
    gl.bindVertexArray(null);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.numbers);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, list, 0, first[first.length - 1]);
    for (let k = 0; k < this.buckets.length; k++) {
      const b = this.buckets[k];
      if (first[k] === first[k + 1]) continue;
      gl.bindVertexArray(b.vao);
      gl.vertexAttribIPointer(3, 1, gl.UNSIGNED_INT, 0, 4 * first[k]);
      gl.vertexAttribDivisor(3, b.form === 2 ? 0 : 1);
    }
  }

  // draw draws all of far, or of near. program is what is in use.
  draw(program, far) {
    const gl = this.gl, { first } = this.order;
    for (let k = 0; k < this.buckets.length; k++) {
      const b = this.buckets[k], n = first[k + 1] - first[k];
      if (b.far !== far || !n) continue;
      gl.uniform1i(program.at('uForm'), b.form);
      b.set?.(program);
      gl.bindVertexArray(b.vao);
      if (b.form === 2) gl.drawArrays(gl.POINTS, 0, n);
      else if (b.form === 1) gl.drawArraysInstanced(gl.LINES, 0, 2, n);
      else drawMesh(gl, b.mesh, n);
    }
  }
}
