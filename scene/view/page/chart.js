// A curve over time on a canvas, with a line at the time that is shown.

const digits = (x) => Number(x.toPrecision(4)).toString();

export class Chart {
  // box is an empty element; data has pairs of time and value; seek is called with the time of a click.
  constructor(box, column, data, seek) {
    const canvas = this.canvas = document.createElement('canvas');
    this.line = document.createElement('i');
    box.className = 'curve';
    box.append(canvas, this.line);
    this.column = column;
    this.data = data;
    this.low = this.high = data[1] ?? 0;
    for (let i = 1; i < data.length; i += 2) {
      this.low = Math.min(this.low, data[i]);
      this.high = Math.max(this.high, data[i]);
    }
    if (this.low === this.high) {
      const room = Math.abs(this.low) || 1;
      this.low -= 0.1 * room;
      this.high += 0.1 * room;
    }
    this.first = data[0] ?? 0;
    this.last = data[data.length - 2] ?? 1;
    const move = (e) => {
      if (e.type === 'pointermove' && !(e.buttons & 1)) return;
      const r = canvas.getBoundingClientRect();
      seek(this.first + (e.clientX - r.left) / r.width * (this.last - this.first));
    };
    canvas.addEventListener('pointerdown', move);
    canvas.addEventListener('pointermove', move);
  }

  // mark moves the line to a time; the curve is not drawn again.
  mark(time) { this.line.style.left = `${100 * (time - this.first) / (this.last - this.first || 1)}%`; }

  draw() {
    const c = this.canvas, ratio = window.devicePixelRatio, style = getComputedStyle(document.documentElement);
    c.width = c.clientWidth * ratio;
    c.height = c.clientHeight * ratio;
    const g = c.getContext('2d'), w = c.width, h = c.height, pad = 4 * ratio;
    const x = (t) => (t - this.first) / (this.last - this.first || 1) * w;
    const y = (v) => h - pad - (v - this.low) / (this.high - this.low) * (h - 2 * pad);
    g.strokeStyle = style.getPropertyValue('--accent');
    g.lineWidth = 1.2 * ratio;
    g.beginPath();
    for (let i = 0; i < this.data.length; i += 2) g.lineTo(x(this.data[i]), y(this.data[i + 1]));
    g.stroke();
    g.fillStyle = style.getPropertyValue('--faint');
    g.font = `${10 * ratio}px system-ui, sans-serif`;
    g.fillText(digits(this.high), pad, 11 * ratio);
    g.fillText(digits(this.low), pad, h - pad);
  }
}
