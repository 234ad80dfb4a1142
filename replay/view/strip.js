// The strip above the timeline shows the whole history, and which part of it is in
// view. How many operations are open at each moment is its height.

class Strip {
  constructor(timeline) {
    this.timeline = timeline;
    this.canvas = byId("overview");
    this.stale = true; // the picture without the window
    const centre = e => {
      if (!timeline.model || !(e.buttons & 1)) return;
      const {edge, whole} = timeline.margins();
      const x = e.clientX - this.canvas.getBoundingClientRect().left;
      timeline.left = (x - GUTTER) / timeline.plotWidth * whole - edge - timeline.plotWidth / timeline.scale / 2;
      timeline.clamp();
    };
    this.canvas.addEventListener("pointerdown", e => {
      this.canvas.setPointerCapture(e.pointerId);
      centre(e);
    });
    this.canvas.addEventListener("pointermove", centre);
  }

  x(time) {
    const {edge, whole} = this.timeline.margins();
    return GUTTER + (time + edge) / whole * this.timeline.plotWidth;
  }

  draw() {
    const t = this.timeline, c = t.colours;
    if (this.stale) this.picture = this.newPicture();
    this.stale = false;
    const g = this.canvas.getContext("2d");
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.drawImage(this.picture, 0, 0);
    g.setTransform(t.ratio, 0, 0, t.ratio, 0, 0);
    const x0 = this.x(t.left), x1 = Math.max(x0 + 4, this.x(t.left + t.plotWidth / t.scale));
    g.fillStyle = c.after;
    g.fillRect(GUTTER - 8, 0, x0 - GUTTER + 8, STRIP);
    g.fillRect(x1, 0, t.width - x1, STRIP);
    g.strokeStyle = c.accent;
    g.lineWidth = 2;
    g.strokeRect(x0 + 1, 1, x1 - x0 - 2, STRIP - 2);
  }

  newPicture() {
    const t = this.timeline, m = t.model, c = t.colours, w = t.width, room = STRIP - 16;
    const picture = document.createElement("canvas");
    picture.width = w * t.ratio;
    picture.height = STRIP * t.ratio;
    const g = picture.getContext("2d");
    g.scale(t.ratio, t.ratio);
    g.fillStyle = c.bg;
    g.fillRect(0, 0, w, STRIP);
    g.fillStyle = c.panel;
    g.fillRect(0, 0, GUTTER - 8, STRIP);
    const open = new Float64Array(Math.ceil(w) + 2); // operations, by pixel
    for (let i = 0; i < m.n; i++) {
      if (!t.shown[i]) continue;
      open[Math.floor(this.x(t.startOf(i)))]++;
      if (!m.pending(i)) open[Math.floor(this.x(t.endOf(i))) + 1]--;
    }
    let most = 1;
    for (let x = 1; x < open.length; x++) most = Math.max(most, open[x] += open[x - 1]);
    g.fillStyle = c.edge0;
    for (let x = 0; x < w; x++) g.fillRect(x, STRIP - 3 - open[x] / most * room, 1, open[x] / most * room);
    const tick = (i, colour, y, height) => {
      g.fillStyle = colour;
      g.fillRect(this.x(t.startOf(i)) - 1, y, 3, height);
    };
    for (let i = 0; i < m.n; i++) if (t.shown[i] && m.flags[i] & MATCH) tick(i, c.match, 0, 7);
    m.clash.concat(m.core).forEach(i => tick(i, c.core, 6, 10));
    m.late.forEach(i => tick(i, c.late, 0, STRIP));
    m.blamed.forEach(i => tick(i, c.bad, 2, 14));
    if (m.unexplained >= 0) tick(m.unexplained, c.bad, 0, STRIP);
    g.fillStyle = c.muted;
    g.font = "11px " + MONO;
    g.textBaseline = "middle";
    g.fillText("all", 10, STRIP / 2);
    return picture;
  }
}
