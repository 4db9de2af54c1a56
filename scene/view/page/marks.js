// What is laid over the picture: arrows, and colours that mark joints and bodies.

import { add, norm, scale } from './algebra.js';
import { describe } from './panel.js';
import { get, whole } from './source.js';
import { $, fail, page, shown } from './state.js';

// arrows shows velocities or reactions of the row. The longest is as long as a usual body.
export async function arrows() {
  const { row, arrows: kind, head } = page, data = [];
  const line = (p, d, color) => {
    if (!(norm(d) > 0)) return;
    data.push(...p, -1, ...add(p, d), -1, 0.03 * head.unit, ...color, -1, -1);
  };
  try {
    if (kind === 'velocity') {
      const f = shown(), n = head.bodies;
      let most = 0;
      for (let i = 0; i < n; i++) most = Math.max(most, norm(f.rates.subarray(6 * i, 6 * i + 3)));
      for (let i = 0; i < n && most > 0; i++) line([...f.poses.subarray(7 * i, 7 * i + 3)], scale(f.rates.subarray(6 * i, 6 * i + 3), head.unit / most), [0.1, 0.55, 0.2]);
    } else if (kind === 'reactions') {
      const w = new Float32Array(await get('reactions', { row }));
      if (row !== page.row || page.arrows !== kind) return;
      page.reactions = w;
      page.reactionsRow = row;
      let most = 0;
      for (let j = 0; j < head.joints; j++) most = Math.max(most, norm(w.subarray(9 * j + 3, 9 * j + 6)) || 0);
      for (let j = 0; j < head.joints && most > 0; j++) line([...w.subarray(9 * j, 9 * j + 3)], scale(w.subarray(9 * j + 3, 9 * j + 6), head.unit / most), [0.85, 0.1, 0.5]);
      if (page.chosen) describe();
    }
    page.drawing.setArrows(new Float32Array(data));
    page.dirty = true;
  } catch (err) { fail(err); }
}

// redundant marks joints with redundant rows, and those with reactions that are not unique.
export async function redundant(on) {
  if (!on) {
    page.drawing.paint(null);
    page.dirty = true;
    return;
  }
  try {
    const row = whole ? 0 : page.row; // a file has the report of its first row
    page.report = await get('report', { as: 'json', row });
    if (page.report.error) throw new Error(page.report.error);
    const loose = new Set(page.report.undetermined);
    page.drawing.paint((body, joint) => {
      if (joint < 0) return [0.72, 0.74, 0.77];
      if (page.report.redundant[joint] > 0) return [0.9, 0.1, 0.1];
      return loose.has(joint) ? [0.95, 0.6, 0.1] : [0.2, 0.6, 0.3];
    });
    const of = whole && page.head.rows > 1 ? ' in the first row' : '';
    $('counts').textContent = `${page.head.bodies} bodies, ${page.head.joints} joints, mobility ${page.report.mobility}, ${page.report.rows - page.report.rank} redundant rows${of}`;
    describe();
    page.dirty = true;
  } catch (err) { fail(err); }
}
