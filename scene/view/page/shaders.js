// The programs that run on the graphics processor. What they need of bodies, shapes and links is in textures, in rows of 2048 texels: poses of bodies two texels
// each, shapes and links four each. An instance is the number of its shape or link; so what is drawn, and how finely, is a list of numbers.

const common = `#version 300 es
precision highp float;
precision highp int;
uniform highp sampler2D uFrom, uTo, uItems, uColors;
uniform float uPart, uPixels;
uniform mat4 uMatrix;
uniform vec3 uLight, uEye;
vec3 rot(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec4 texel(highp sampler2D s, int i) { return texelFetch(s, ivec2(i & 2047, i >> 11), 0); }
void pose(float body, out vec3 p, out vec4 q) {
  p = vec3(0.0);
  q = vec4(0.0, 0.0, 0.0, 1.0);
  if (body < 0.0) return;
  int i = 2 * int(body);
  p = texel(uFrom, i).xyz;
  q = texel(uFrom, i + 1);
  if (uPart > 0.0) {
    vec4 b = texel(uTo, i + 1);
    p = mix(p, texel(uTo, i).xyz, uPart);
    q = normalize(mix(q, dot(q, b) < 0.0 ? -b : b, uPart));
  }
}
flat out int vNumber;
`;

// Lit at each pixel, or for what is small at each vertex.
const smooth = `
flat out vec3 vColor;
out vec3 vNormal;
void shade(vec3 color, vec3 normal) { vColor = color; vNormal = normal; }
`;
const coarse = `
out vec3 vColor;
void shade(vec3 color, vec3 normal) { vColor = color * (0.45 + 0.55 * max(0.0, dot(normalize(normal), uLight))); }
`;

// uForm: 0 a solid; 1 a line along the longest way through the shape; 2 a point.
const shape = `
layout(location=0) in vec3 aPoint;
layout(location=1) in vec3 aNormal;
layout(location=2) in float aShift;
layout(location=3) in uint iNumber;
uniform bool uRound, uJoints;
uniform float uBody, uJoint;
uniform vec2 uExtent;
uniform int uForm;
void main() {
  vNumber = int(iNumber);
  int i = 4 * vNumber;
  vec4 place = texel(uItems, i), turn = texel(uItems, i + 1), size = texel(uItems, i + 2);
  vec3 color = texel(uColors, vNumber).xyz, at, p, n;
  vec4 q;
  pose(place.w, at, q);
  if (uForm == 0) {
    p = aPoint * (uRound ? vec3(size.x) : vec3(size.xy, size.z * uExtent.x + size.x * uExtent.y)) + vec3(0.0, 0.0, aShift * size.z);
    p = rot(q, rot(turn, p) + place.xyz) + at;
    n = rot(q, rot(turn, aNormal));
  } else {
    vec4 reach = texel(uItems, i + 3);
    p = rot(q, place.xyz) + at;
    n = uEye;
    if (uForm == 1) {
      vec3 d = rot(q, rot(turn, reach.yzw));
      p += gl_VertexID == 0 ? -d : d;
      n -= d * (dot(d, n) / dot(d, d));
    }
    gl_PointSize = reach.x;
  }
  gl_Position = uMatrix * vec4(p, 1.0);
  // A mark that is hardly to be seen would hide its body.
  if (size.w >= 0.0 && (!uJoints || uForm == 2 && gl_PointSize * uPixels < 0.75 * gl_Position.w)) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  if (uForm == 2) gl_PointSize = clamp(2.0 * gl_PointSize * uPixels / gl_Position.w, 1.0, 4.0);
  if (size.w >= 0.0 ? size.w == uJoint : place.w >= 0.0 && place.w == uBody) color = mix(color, vec3(1.0, 0.85, 0.1), 0.75);
  shade(color, n);
}`;

// A link goes from a point of a body to one of another. Its solid has the ends at z = −1 and 1.
const link = `
layout(location=0) in vec3 aPoint;
layout(location=1) in vec3 aNormal;
layout(location=2) in float aShift;
layout(location=3) in uint iNumber;
uniform int uFirst, uForm;
uniform float uJoint, uForce;
uniform bool uRound;
void main() {
  int i = 4 * int(iNumber);
  vNumber = uFirst + int(iNumber);
  vec4 A = texel(uItems, i), B = texel(uItems, i + 1), look = texel(uItems, i + 2), of = texel(uItems, i + 3);
  vec3 pa, pb, p, n;
  vec4 qa, qb;
  pose(A.w, pa, qa);
  pose(B.w, pb, qb);
  vec3 a = rot(qa, A.xyz) + pa, b = rot(qb, B.xyz) + pb, d = b - a;
  float l = length(d);
  vec3 z = l > 0.0 ? d / l : vec3(0.0, 0.0, 1.0);
  if (uForm == 0) {
    vec3 x = normalize(abs(z.x) > 0.9 ? vec3(0.0, 1.0, 0.0) - z * z.y : vec3(1.0, 0.0, 0.0) - z * z.x);
    mat3 E = mat3(x, cross(z, x), z);
    p = aPoint * vec3(look.xx, uRound ? look.x : 0.5 * l) + vec3(0.0, 0.0, 0.5 * l * (aShift > 2.0 ? aShift - 4.0 : aShift));
    p = E * p + 0.5 * (a + b);
    n = E * aNormal;
  } else {
    p = gl_VertexID == 0 ? a : b;
    n = uEye - z * dot(z, uEye);
  }
  gl_PointSize = 1.0;
  gl_Position = uMatrix * vec4(p, 1.0);
  vec3 color = aShift > 2.0 && uForm == 0 ? vec3(0.412, 0.49, 0.549) : look.yzw;
  if (of.x >= 0.0 ? of.x == uJoint : of.y >= 0.0 && of.y == uForce) color = mix(color, vec3(1.0, 0.85, 0.1), 0.75);
  shade(color, n);
}`;

const ground = `
layout(location=0) in vec3 aPoint;
layout(location=1) in vec3 aNormal;
void main() {
  gl_Position = uMatrix * vec4(aPoint, 1.0);
  vNumber = -1;
  shade(vec3(0.77, 0.745, 0.69), aNormal);
}`;

// A grid is a square of a level plane around a point, with lines at multiples of a step.
const grid = `
uniform vec3 uMiddle, uRight, uAway;
uniform float uExtent;
out vec2 vPlace;
void main() {
  vPlace = uExtent * vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - uExtent;
  gl_Position = uMatrix * vec4(uMiddle + vPlace.x * uRight + vPlace.y * uAway, 1.0);
  vNumber = -1;
}`;

const pick = `
flat in int vNumber;
uniform bool uPick;
out vec4 color;
bool picked() {
  if (!uPick) return false;
  int n = vNumber + 1;
  color = vec4(float(n & 255), float((n >> 8) & 255), float((n >> 16) & 255), 255.0) / 255.0;
  return true;
}`;

const header = '#version 300 es\nprecision highp float;\nprecision highp int;\n';
const fragments = {
  smooth: `${header}${pick}
flat in vec3 vColor;
in vec3 vNormal;
uniform vec3 uLight;
void main() { if (!picked()) color = vec4(vColor * (0.45 + 0.55 * max(0.0, dot(normalize(vNormal), uLight))), 1.0); }`,
  coarse: `${header}${pick}
in vec3 vColor;
void main() { if (!picked()) color = vec4(vColor, 1.0); }`,
  // Lines are a pixel wide, and fade where they are closer than some pixels and toward the edge of the square.
  grid: `${header}
in vec2 vPlace;
uniform vec2 uOffset;
uniform float uStep, uExtent;
out vec4 color;
float lines(float step) {
  vec2 q = (vPlace + uOffset) / step, w = fwidth(q), d = abs(fract(q - 0.5) - 0.5) / max(w, 1e-9);
  vec2 a = (1.0 - min(d, 1.0)) * (1.0 - smoothstep(0.15, 0.5, w));
  return max(a.x, a.y);
}
void main() {
  float far = length(vPlace) / uExtent;
  color = vec4(0.5, 0.53, 0.57, max(0.25 * lines(uStep), 0.4 * lines(5.0 * uStep)) * (1.0 - smoothstep(0.5, 1.0, far)));
}`,
};

// programs compiles all of them.
export function programs(gl) {
  const ways = { smooth, coarse, grid: '' }, make = (main, way) => program(gl, common + ways[way] + main, fragments[way]);
  return { shape: make(shape, 'smooth'), farShape: make(shape, 'coarse'), link: make(link, 'smooth'), farLink: make(link, 'coarse'), ground: make(ground, 'smooth'), grid: make(grid, 'grid') };
}

function program(gl, vertex, fragment) {
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
  gl.useProgram(p);
  ['uFrom', 'uTo', 'uItems', 'uColors'].forEach((t, unit) => gl.uniform1i(gl.getUniformLocation(p, t), unit));
  const places = new Map();
  return { program: p, at(name) {
    if (!places.has(name)) places.set(name, gl.getUniformLocation(p, name));
    return places.get(name);
  } };
}
