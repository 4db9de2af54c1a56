// The report below the picture: the document rung-result/1 of the model as it stands, as tables.

const digits = (x) => (!Number.isFinite(x) ? '–' : Math.abs(x) < 1e9 ? Number(x.toPrecision(5)).toString() : x.toExponential(4));
const length = (v) => digits(Math.hypot(...v));

function element(name, text, className) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
}

const most = 50; // rows of a table

function table(title, heads, rows) {
  const box = element('div', undefined, 'scroll'), t = element('table'), head = element('tr');
  box.tabIndex = 0;
  t.append(element('caption', rows.length > most ? `${title}, the first ${most} of ${rows.length}` : title));
  head.append(...heads.map((h) => element('th', h)));
  t.append(head, ...rows.slice(0, most).map((row) => {
    const tr = element('tr');
    tr.append(...row.map((cell) => element('td', cell)));
    return tr;
  }));
  box.append(t);
  return box;
}

const plural = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

// show fills a place with a result; closed says that the start of the model violated the joints.
export function show(place, result, closed, took) {
  const c = result.constraints, at = `At ${result.time.toFixed(2)} s`, parts = [];
  if (closed) parts.push(element('p', 'The state in the text violates the joints. The motion begins at the nearest one that satisfies them.'));
  if (c) parts.push(element('p', `${at}: mobility ${c.mobility}, rank ${c.rank} of ${plural(c.rows, 'row')}, ${c.redundant} redundant${c.near_singular ? ', near a singular pose' : ''}. Solved in ${took < 1 ? 'less than 1' : Math.round(took)} ms with this report.`));
  if (result.energy) parts.push(element('p', `Energy: kinetic ${digits(result.energy.kinetic)} J, potential ${digits(result.energy.potential)} J.`));
  if (result.bodies?.length) {
    parts.push(table('accelerations of bodies', ['body', 'x', 'y', 'z m/s²', 'about x', 'y', 'z rad/s²'],
      result.bodies.map((b) => [b.name, ...b.com_acceleration.map(digits), ...b.angular_acceleration.map(digits)])));
  }
  const joints = (result.joints ?? []).filter((j) => j.total_wrench), redundant = new Map((c?.redundant_joints ?? []).map((j) => [j.name, j.rows]));
  if (joints.length) {
    parts.push(table('joints', ['joint', 'force N', 'moment N m', 'not unique', 'redundant rows'],
      joints.map((j) => [j.name, length(j.total_wrench.force), length(j.total_wrench.moment), (j.undetermined ?? []).join(' ') || '–', redundant.get(j.name) ?? 0])));
  }
  place.classList.remove('old');
  const scrolled = [...place.querySelectorAll('.scroll')].map((b) => b.scrollLeft);
  place.replaceChildren(...parts);
  place.querySelectorAll('.scroll').forEach((b, k) => { b.scrollLeft = scrolled[k] ?? 0; });
}
