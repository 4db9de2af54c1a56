// What the pages of the site do beyond HTML: the theme, the search, and mechanisms that move. It loads files of this site only.
(() => {
  const base = new URL('.', document.currentScript.src);
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches);

  // The theme, here and in the frames.
  const frames = [];
  document.getElementById('theme').addEventListener('click', () => {
    root.dataset.theme = dark() ? 'light' : 'dark';
    try { localStorage.setItem('rung-theme', root.dataset.theme); } catch { /* the choice ends with the page */ }
    frames.forEach(paint);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => frames.forEach(paint));

  // On wide screens both lists beside the page are open.
  const wide = matchMedia('(min-width: 1000px)');
  const unfold = () => document.querySelectorAll('details.side, details.contents').forEach((d) => { d.open = wide.matches; });
  wide.addEventListener('change', unfold);
  unfold();

  // A picture of a mechanism becomes the page where it moves, when it comes into view. Who wants less motion, or has no WebGL, keeps the picture.
  const drawable = () => document.createElement('canvas').getContext('webgl2') !== null;
  const stages = [...document.querySelectorAll('a.stage')];
  if (stages.length && !matchMedia('(prefers-reduced-motion: reduce)').matches && drawable()) {
    const seen = new IntersectionObserver((list) => list.filter((e) => e.isIntersecting).forEach((e) => { seen.unobserve(e.target); play(e.target); }));
    stages.forEach((s) => seen.observe(s));
  }

  function play(stage) {
    const frame = document.createElement('iframe');
    frame.src = stage.href;
    frame.title = stage.querySelector('img').alt;
    frame.addEventListener('load', () => begin(stage, frame));
    stage.append(frame);
  }

  // begin waits until the page in the frame has drawn, takes away what it does not need here, and starts it. From a disk browsers let no page
  // look into another one; then it stays as it is.
  async function begin(stage, frame) {
    let inside = null;
    try { inside = frame.contentDocument; } catch { /* as above */ }
    if (inside) {
      const style = inside.createElement('style');
      style.textContent = `aside, nav, header${stage.classList.contains('bare') ? ', #bottom' : ''} { display: none !important; }`;
      inside.head.append(style);
      const within = frame.contentWindow, end = Date.now() + 60e3;
      while (!within.rung?.ready && Date.now() < end) await new Promise((r) => setTimeout(r, 50));
      if (!within.rung?.ready) return frame.remove(); // the picture stays
      frames.push(frame);
      paint(frame);
      within.dispatchEvent(new Event('resize'));
      within.rung.camera.distance *= 0.75; // the ball that the page keeps in view is larger than most mechanisms
      within.rung.camera.zoomed = true;
      inside.getElementById('play')?.click();
    }
    stage.classList.add('moves');
  }

  function paint(frame) {
    const { contentDocument: inside, contentWindow: window } = frame;
    inside.documentElement.dataset.theme = dark() ? 'dark' : 'light';
    if (window.rung?.state) window.rung.state.dirty = true;
  }

  // Search: the index is loaded when somebody looks for something.
  const form = document.getElementById('search'), field = form.q, found = document.getElementById('found');
  let index = null;
  function load() {
    index ??= new Promise((ok, fail) => {
      const s = document.createElement('script');
      s.src = new URL('search-index.js', base);
      s.onload = () => ok(window.rungIndex);
      s.onerror = () => fail(new Error('no index'));
      document.head.append(s);
    });
    return index;
  }

  // rank returns how well a section fits: all words must be in it, as beginnings of its words; those in headings count more.
  function rank(r, words) {
    let sum = 0;
    const page = ` ${r.p.toLowerCase()}`, head = ` ${r.h.toLowerCase()}`, text = ` ${r.w}`;
    for (const w of words) {
      const at = ` ${w}`;
      const n = (head.includes(at) ? 12 : head.includes(w) ? 6 : 0) + (page.includes(at) ? 8 : 0) + (text.includes(`${at} `) ? 2 : text.includes(at) ? 1 : 0);
      if (!n) return 0;
      sum += n;
    }
    return sum + (r.u.includes('#') ? 0 : 2);
  }

  window.rungSearch = async (query) => {
    const words = query.toLowerCase().split(/[^\p{L}\p{N}_.-]+/u).filter(Boolean);
    if (!words.length) return [];
    return (await load()).map((r) => [rank(r, words), r]).filter(([n]) => n).sort((a, b) => b[0] - a[0]).slice(0, 12).map(([, r]) => r);
  };

  function shut() {
    found.hidden = true;
    field.setAttribute('aria-expanded', 'false');
  }

  let asked = 0;
  async function look() {
    const now = ++asked, query = field.value;
    let list;
    try { list = await window.rungSearch(query); } catch { list = null; }
    if (now !== asked) return;
    found.replaceChildren(...(list ?? []).map((r) => {
      const a = document.createElement('a'), b = document.createElement('b'), where = document.createElement('i'), text = document.createElement('span');
      a.href = new URL(r.u, base);
      b.textContent = r.h;
      where.textContent = r.h === r.p ? '' : r.p;
      text.textContent = r.t;
      a.append(b, where, text);
      const li = document.createElement('li');
      li.append(a);
      return li;
    }));
    if (query.trim() && !found.childElementCount) {
      const li = document.createElement('li');
      li.className = 'none';
      li.textContent = list ? 'Nothing found.' : 'The index for search cannot be loaded.';
      found.append(li);
    }
    found.hidden = !query.trim();
    field.setAttribute('aria-expanded', String(!found.hidden));
  }

  field.addEventListener('focus', () => load().catch(() => {}));
  field.addEventListener('input', look);
  form.addEventListener('submit', async (e) => {
    e.preventDefault();
    await look();
    found.querySelector('a')?.click();
  });
  form.addEventListener('keydown', (e) => {
    const links = [...found.querySelectorAll('a')], at = links.indexOf(document.activeElement);
    if (e.key === 'Escape') { shut(); field.focus(); }
    if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp' || !links.length) return;
    e.preventDefault();
    const next = at + (e.key === 'ArrowDown' ? 1 : -1);
    (links[next] ?? field).focus();
  });
  document.addEventListener('click', (e) => { if (!form.contains(e.target)) shut(); else if (e.target.closest('a')) shut(); });
  document.addEventListener('keydown', (e) => {
    if (e.key === '/' && !e.ctrlKey && !e.metaKey && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) { e.preventDefault(); field.focus(); }
  });
})();
