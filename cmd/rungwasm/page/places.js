// Where in a text of JSON a path such as $.bodies[1].mass is.

// parse returns the values of a text with their places: start, end, and fields or items.
function parse(text) {
  let at = 0;
  const blank = () => { while (' \t\r\n'.includes(text[at]) && at < text.length) at++; };
  const string = () => {
    const from = at++;
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    return JSON.parse(text.slice(from, ++at));
  };
  const value = () => {
    blank();
    const v = { start: at, end: at, fields: null, items: null, text: null };
    if (text[at] === '{') {
      v.fields = new Map();
      for (at++, blank(); text[at] !== '}'; blank()) {
        if (text[at] === ',') { at++; continue; }
        if (text[at] !== '"') throw new SyntaxError('no name');
        const name = string();
        blank();
        at++; // the colon
        v.fields.set(name, value());
      }
      at++;
    } else if (text[at] === '[') {
      v.items = [];
      for (at++, blank(); text[at] !== ']'; blank()) {
        if (text[at] === ',') at++; else v.items.push(value());
      }
      at++;
    } else if (text[at] === '"') v.text = string();
    else {
      const from = at;
      while (at < text.length && !',]} \t\r\n'.includes(text[at])) at++;
      if (at === from) throw new SyntaxError('no value');
    }
    v.end = at;
    return v;
  };
  return value();
}

// field returns the value of a name, which a path has cut where it is long.
function field(v, name) {
  const whole = v.fields?.get(name);
  if (whole || !v.fields || !name.endsWith('…')) return whole;
  for (const [known, value] of v.fields) if (known.startsWith(name.slice(0, -1))) return value;
}

// place returns {start, end} of what a path leads to, or of the last thing on the way that is there; null if the text is no JSON.
export function place(text, path) {
  try {
    JSON.parse(text);
    let v = parse(text);
    for (const [, name, quoted, index] of path.matchAll(/\.([^.[]+)|\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]/g)) {
      const next = index !== undefined ? v.items?.[Number(index)] : field(v, name ?? JSON.parse(`"${quoted}"`));
      if (!next) break;
      v = next;
    }
    return { start: v.start, end: v.end };
  } catch { return null; }
}

// named returns the place of the thing of a list, such as bodies, that has a name.
export function named(text, list, name) {
  try {
    JSON.parse(text);
    const v = parse(text).fields?.get(list)?.items?.find((x) => x.fields?.get('name')?.text === name)?.fields.get('name');
    return v ? { start: v.start, end: v.end } : null;
  } catch { return null; }
}

// line returns the number of the line of an offset.
export const line = (text, offset) => text.slice(0, offset).split('\n').length;

// offset returns that of the start of a line and a column, both from 1.
export function offset(text, row, column = 1) {
  let at = 0;
  for (let k = 1; k < row; k++) {
    const next = text.indexOf('\n', at);
    if (next < 0) break;
    at = next + 1;
  }
  return Math.min(text.length, at + column - 1);
}
