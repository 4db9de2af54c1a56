// Pace draws pictures of fewer pixels while they move, if whole ones take long, and a whole one when they stand.

const aim = 70, quick = 40, slow = 100; // of a picture, ms
const rest = 200; // after the last movement, ms
const least = 0.5;

export class Pace {
  constructor(gl) {
    this.gl = gl;
    this.sharp = 1; // of moving pictures: the part of the pixels of a side
    this.now = 1; // of the present one
    this.moved = -Infinity;
    this.fence = null;
  }

  // move is called when the user turns or shifts the view.
  move() { this.moved = performance.now(); }

  // look is called before a picture may be drawn, and returns whether it is to have another number of pixels than the one before. moving: it moves by itself; may: it may have fewer.
  look(moving, may) {
    const f = this.fence, t = performance.now();
    if (f && this.gl.getSyncParameter(f.sync, this.gl.SYNC_STATUS) === this.gl.SIGNALED) {
      const took = t - f.begin;
      if (took > slow || took < quick && this.now === this.sharp) this.sharp = Math.max(least, Math.min(1, took > slow ? this.now * Math.sqrt(aim / took) : this.now * 1.2));
      this.gl.deleteSync(f.sync);
      this.fence = null;
    }
    const want = may && (moving || t - this.moved < rest) ? this.sharp : 1, other = want !== this.now;
    this.now = want;
    return other;
  }

  // drawn is called after a picture.
  drawn() {
    if (this.fence) return; // one at a time
    this.fence = { begin: performance.now(), sync: this.gl.fenceSync(this.gl.SYNC_GPU_COMMANDS_COMPLETE, 0) };
    this.gl.flush();
  }
}
