// The text at the left, with numbers of lines; lines with errors are marked.

import { line } from './places.js';

const text = document.getElementById('text'), numbers = document.getElementById('numbers');
let count = 0, wrong = new Set();

function draw() {
  const rows = text.value.split('\n').length;
  if (rows === count) return;
  count = rows;
  numbers.replaceChildren(...Array.from({ length: rows }, (_, k) => {
    const d = document.createElement('div');
    d.textContent = k + 1;
    d.classList.toggle('wrong', wrong.has(k + 1));
    return d;
  }));
}

const follow = () => { numbers.style.transform = `translateY(${-text.scrollTop}px)`; };
text.addEventListener('scroll', follow);

// onEdit calls a function whenever the user has changed the text.
export function onEdit(f) {
  text.addEventListener('input', () => {
    draw();
    f();
  });
}

export const read = () => text.value;

export function write(value) {
  text.value = value;
  text.scrollTop = 0;
  mark([]);
  draw();
  follow();
}

// mark marks the lines of errors.
export function mark(lines) {
  wrong = new Set(lines);
  [...numbers.children].forEach((d, k) => d.classList.toggle('wrong', wrong.has(k + 1)));
}

// select shows a place.
export function select({ start, end }) {
  text.focus();
  text.setSelectionRange(start, end);
  text.scrollTop = Math.max(0, 18 * (line(text.value, start) - 4));
  follow();
}
