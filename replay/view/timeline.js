// The timeline: a canvas with a lane per process. Only what is visible is drawn.

const GUTTER = 92, AXIS = 22, BAR = 20, LABEL = 14, STRIP = 46;
const MONO = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

class Timeline {
  constructor(actions) {
    this.actions = actions; // hover(op, x, y), select(op)
    this.canvas = byId("timeline");
    this.scroller = byId("scroller");
    this.probe = element("i", {hidden: true});
    document.body.append(this.probe);
    this.real = false;
    this.packed = false;
    this.selected = -1;
    this.near = new Set(); // concurrent with the selected operation
    this.shown = null; // which operations are not filtered out
    this.stats = {frames: 0, bars: 0, inView: 0};
    this.strip = new Strip(this);
    this.readColours();
    new ResizeObserver(() => { this.resize(); }).observe(this.scroller);
    this.scroller.addEventListener("scroll", () => this.invalidate());
    this.listen();
  }

  // ---- colours

  readColours() {
    const names = ["bg", "panel", "stripe", "text", "muted", "line", "grid", "accent", "bad", "bad-fill", "bad-solid", "core", "late", "match", "after"];
    for (let k = 0; k < 6; k++) names.push("bar" + k, "edge" + k);
    this.colours = {};
    for (const name of names) {
      this.probe.style.color = `var(--${name})`;
      this.colours[name] = getComputedStyle(this.probe).color;
    }
    this.strip.stale = true;
    if (this.model) this.invalidate();
  }

  // ---- what is shown

  setModel(model) {
    this.model = model;
    this.selected = -1;
    this.near = new Set();
    this.real = false;
    this.packed = model.packed;
    this.shown = new Uint8Array(model.n).fill(1);
    this.arrange();
    this.fit();
  }

  // arrange puts the operations that are shown into lanes. Operations of one process
  // may touch or overlap where stamps are equal; these get further rows.
  arrange() {
    const m = this.model, lanes = [], ofProcess = new Map();
    for (let i = 0; i < m.n; i++) {
      if (!this.shown[i]) continue;
      const process = this.packed ? -1 : m.data.process[i];
      if (!ofProcess.has(process)) ofProcess.set(process, []);
      const rows = ofProcess.get(process);
      let lane = rows.find(l => l.end < m.call[i]);
      if (!lane) {
        lane = {process, name: this.packed ? "" : (rows.length ? "" : m.data.processes[process]), ops: [], marked: [], end: -1};
        rows.push(lane);
      }
      lane.ops.push(i);
      lane.end = m.end[i];
    }
    for (const process of [...ofProcess.keys()].sort((a, b) => a - b)) lanes.push(...ofProcess.get(process));
    this.lanes = lanes;
    this.laneOf = new Int32Array(m.n).fill(-1);
    lanes.forEach((lane, l) => { for (const i of lane.ops) this.laneOf[i] = l; });
    this.remark();
    this.sizeLanes();
  }

  // sizeLanes makes lanes higher if there is room, for labels above the bars.
  sizeLanes() {
    const n = Math.max(1, this.lanes.length), least = this.model.gap ? 38 : 30;
    this.above = Math.max(0, Math.min(3, Math.floor(((this.height - AXIS) / n - least) / LABEL)));
    this.barTop = 5 + this.above * LABEL;
    this.laneHeight = least + this.above * LABEL;
    byId("tall").style.height = AXIS + n * this.laneHeight + 10 + "px";
  }

  // laneY is where the bars of a lane begin.
  laneY(lane) { return AXIS + lane * this.laneHeight - this.scroller.scrollTop + this.barTop; }

  // remark follows changes of the marks.
  remark() {
    for (const lane of this.lanes) lane.marked = lane.ops.filter(i => this.model.flags[i]);
    this.strip.stale = true;
    this.invalidate();
  }

  // ---- time

  // time is where an event is on the axis, or a point in the gap after it.
  time(event, part) {
    if (!this.real) return event + (part || 0);
    const s = this.model.stamps;
    return part ? s[event] + part * (s[Math.min(event + 1, this.model.events)] - s[event]) : s[event];
  }

  get last() { return this.time(this.model.events); }
  get plotWidth() { return Math.max(50, this.width - GUTTER); }
  x(time) { return GUTTER + (time - this.left) * this.scale; }
  timeAt(x) { return this.left + (x - GUTTER) / this.scale; }
  startOf(i) { return this.time(this.model.call[i]); }
  endOf(i) { return this.time(this.model.end[i]); }
  pointOf(i) {
    const k = this.model.place[i];
    return this.time(this.model.gap[k], this.model.part[k]);
  }

  setReal(real) {
    const middle = this.nearestEvent(this.timeAt(GUTTER + this.plotWidth / 2));
    const span = this.plotWidth / this.scale / this.margins().whole;
    this.real = real && !!this.model.stamps;
    const whole = this.margins().whole;
    this.scale = this.plotWidth / (span * whole);
    this.left = this.time(middle) - span * whole / 2;
    this.strip.stale = true;
    this.clamp();
  }

  nearestEvent(time) {
    return Math.min(this.model.events, lowerBound(this.model.events, e => this.time(e) >= time));
  }

  margins() {
    const edge = Math.max(this.last * 0.01, this.real ? 1e-9 : 0.6);
    return {edge, whole: this.last + 2 * edge};
  }

  fit() {
    const {edge, whole} = this.margins();
    this.left = -edge;
    this.scale = this.plotWidth / whole;
    this.clamp();
  }

  clamp() {
    const {edge, whole} = this.margins(), least = this.plotWidth / whole;
    const most = Math.max(least, this.real ? least * Math.max(40, this.model.events * 20) : 260);
    this.scale = Math.min(most, Math.max(least, this.scale));
    this.left = Math.min(whole - edge - this.plotWidth / this.scale, Math.max(-edge, this.left));
    this.invalidate();
  }

  zoom(factor, x = GUTTER + this.plotWidth / 2) {
    const at = this.timeAt(x);
    this.scale *= factor;
    this.clamp();
    this.left = at - (x - GUTTER) / this.scale;
    this.clamp();
  }

  pan(dx, dy = 0) {
    this.left += dx / this.scale;
    if (dy) this.scroller.scrollTop += dy;
    this.clamp();
  }

  // goTo brings operations into view, with some of what is around them.
  goTo(ops) {
    const seen = ops.filter(i => this.laneOf[i] >= 0);
    if (!seen.length) return;
    let from = Infinity, to = -Infinity, lane = Infinity;
    for (const i of seen) {
      from = Math.min(from, this.startOf(i));
      to = Math.max(to, this.model.pending(i) ? this.startOf(i) : this.endOf(i));
      lane = Math.min(lane, this.laneOf[i]);
    }
    const width = this.plotWidth / this.scale;
    const around = this.real ? (to - from || this.last / Math.max(1, this.model.events)) * 6 : 36;
    if (ops.length > 1 || to - from > width * 0.8 || (to - from) * this.scale < 24) {
      this.scale = this.plotWidth / Math.max((to - from) * 1.2, around);
    }
    this.clamp();
    const visible = this.plotWidth / this.scale;
    if (from < this.left + visible * 0.04 || to > this.left + visible * 0.96) this.left = (from + to) / 2 - visible / 2;
    const y = lane * this.laneHeight;
    if (y < this.scroller.scrollTop || y + this.laneHeight + AXIS > this.scroller.scrollTop + this.height) {
      this.scroller.scrollTop = y - this.height / 3;
    }
    this.clamp();
  }

  // ---- drawing

  resize() {
    this.width = this.scroller.clientWidth;
    this.height = this.scroller.clientHeight;
    if (!this.width) return;
    this.ratio = window.devicePixelRatio || 1;
    this.sizeCanvas(this.canvas, this.height);
    this.sizeCanvas(this.strip.canvas, STRIP);
    this.strip.stale = true;
    if (this.model) {
      this.sizeLanes();
      if (!this.scale) this.fit();
      this.clamp();
    }
  }

  sizeCanvas(canvas, height) {
    canvas.width = this.width * this.ratio;
    canvas.height = height * this.ratio;
    canvas.style.width = this.width + "px";
    canvas.style.height = height + "px";
  }

  invalidate() {
    if (this.frame || !this.width) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    const g = this.canvas.getContext("2d"), c = this.colours;
    const top = this.scroller.scrollTop;
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.fillStyle = c.bg;
    g.fillRect(0, 0, this.width, this.height);
    this.stats.bars = this.stats.inView = 0;
    this.points = [];
    g.font = "12px " + MONO;
    this.letter = this.letter || g.measureText("0").width;
    const firstLane = Math.max(0, Math.floor((top - AXIS) / this.laneHeight));
    const lastLane = Math.min(this.lanes.length - 1, Math.floor((top + this.height - AXIS) / this.laneHeight));
    for (let l = firstLane; l <= lastLane; l++) {
      if (l % 2 === 0) {
        g.fillStyle = c.stripe;
        g.fillRect(0, AXIS + l * this.laneHeight - top, this.width, this.laneHeight);
      }
    }
    this.drawGrid(g);
    for (let l = firstLane; l <= lastLane; l++) {
      this.drawLane(g, this.lanes[l], this.laneY(l));
    }
    this.drawEdges(g);
    this.drawPoints(g);
    this.drawPrefix(g);
    this.drawNames(g, firstLane, lastLane);
    this.strip.draw();
    this.stats.frames++;
  }

  // drawLane draws the operations of a lane that are in view. Where several are in
  // one pixel, it draws one of them, and then those that are marked: the effort
  // follows the width of the canvas.
  drawLane(g, lane, y) {
    const right = this.timeAt(this.width), drawn = new Set();
    let labels = GUTTER; // the first pixel without a label or a bar
    this.rows = new Array(this.above).fill(-Infinity); // above the bars, likewise
    for (const ops of [lane.ops, lane.marked]) {
      const from = lowerBound(ops.length, k => this.endOf(ops[k]) >= this.left);
      const end = lowerBound(ops.length, k => this.startOf(ops[k]) > right);
      if (ops === lane.ops) this.stats.inView += end - from;
      let free = -Infinity; // the first pixel after the bar before
      for (let k = from; k < end; k++) {
        if (this.x(this.endOf(ops[k])) < free) { // all in one pixel
          const time = this.timeAt(free);
          k += lowerBound(end - k, j => this.endOf(ops[k + j]) >= time);
          if (k >= end) break;
        }
        const i = ops[k], flag = this.model.flags[i];
        if (drawn.has(i)) continue;
        if (flag) drawn.add(i);
        let x0 = this.x(this.startOf(i)), x1 = Math.max(this.x(this.endOf(i)), x0 + (flag ? 5 : 1));
        if (this.model.pending(i)) x1 = Math.max(x1, this.width + 8);
        free = Math.ceil(x1);
        x0 = Math.max(x0, GUTTER - 8);
        x1 = Math.min(x1, this.width + 8);
        const next = ops === lane.ops && k + 1 < ops.length ? this.x(this.startOf(ops[k + 1])) : ops === lane.ops ? this.width : x1;
        this.drawBar(g, i, x0, x1, y);
        labels = Math.max(x1, this.drawLabel(g, i, x0, x1, y, ops === lane.ops ? x0 - labels : 0, next - x1));
        this.stats.bars++;
      }
    }
  }

  drawBar(g, i, x0, x1, y) {
    const m = this.model, c = this.colours, f = m.flags[i], width = x1 - x0;
    if (width < 3 && !f && i !== this.selected) {
      g.fillStyle = c["edge" + m.colourOf(i)];
      g.fillRect(x0, y + 2, width, BAR - 4);
      return;
    }
    const {fill, edge, line} = this.look(i);
    g.beginPath();
    g.roundRect(x0, y, width, BAR, m.pending(i) ? [4, 0, 0, 4] : Math.min(4, width / 2));
    g.fillStyle = fill;
    g.fill();
    g.setLineDash(m.pending(i) ? [5, 3] : []);
    g.strokeStyle = edge;
    g.lineWidth = line;
    g.stroke();
    g.setLineDash([]);
    if (f & CORE && f & (BLAMED | UNEXPLAINED)) { // both signs
      g.fillStyle = c.core;
      g.fillRect(x0, y + BAR - 1, width, 3);
    }
    if (f & MATCH) this.outline(g, x0, y, width, c.match, 2, [2, 2]);
    if (i === this.selected) this.outline(g, x0, y, width, c.accent, 2.5, []);
    else if (this.near.has(i)) this.outline(g, x0, y, width, c.accent, 1, [3, 3]);
    if (m.gap && width >= 4) this.points.push({i, y});
  }

  // look is how the bar of an operation is drawn.
  look(i) {
    const m = this.model, c = this.colours, f = m.flags[i], k = m.colourOf(i);
    const look = {fill: c["bar" + k], edge: c["edge" + k], ink: c.text, line: 1, sign: ""};
    if (f & CLASH) Object.assign(look, {edge: c.core, line: 2, sign: "\u25c7 "});
    if (f & CORE) Object.assign(look, {edge: c.core, line: 2.5, sign: "\u25c6 "});
    if (f & LATE) Object.assign(look, {edge: c.late, line: 2.5, sign: `\u2192${m.delay.get(i)} `});
    if (f & BLAMED) Object.assign(look, {fill: c["bad-fill"], edge: c.bad, line: 2.5, sign: "! "});
    if (f & UNEXPLAINED) Object.assign(look, {fill: c["bad-solid"], edge: c.bad, ink: "#ffffff", line: 2.5, sign: "\u2717 "});
    return look;
  }

  outline(g, x, y, width, colour, line, dash) {
    g.beginPath();
    g.roundRect(x - 3, y - 3, width + 6, BAR + 6, 5);
    g.setLineDash(dash);
    g.strokeStyle = colour;
    g.lineWidth = line;
    g.stroke();
    g.setLineDash([]);
  }

  // drawLabel writes the operation into its bar, beside it or above it, wherever
  // there is room; before and after are the pixels without a bar or a label on both
  // sides. It returns where a label on the right ends.
  drawLabel(g, i, x0, x1, y, before, after) {
    const letters = pixels => Math.floor((pixels - 8) / this.letter);
    const room = [letters(Math.min(x1, this.width) - x0), letters(Math.min(after, this.width - x1)), letters(before)];
    if (x1 - x0 < 6 && !this.model.flags[i] && Math.max(...room) < 2) return x1;
    const look = this.look(i), text = look.sign + this.model.text(i);
    g.textBaseline = "middle";
    g.fillStyle = this.colours.text;
    let where = room.findIndex(r => r >= columns(text));
    if (where < 0) {
      const end = x0 + 10 + columns(text) * this.letter, row = this.rows.findIndex(free => free < x0);
      if (row >= 0 && end < this.width) {
        this.rows[row] = end;
        const middle = y - 8 - row * LABEL;
        g.fillText(text, x0 + 3, middle);
        g.fillStyle = this.colours.line;
        g.fillRect(x0, middle - 5, 1, y - middle + 5);
        return x1;
      }
      where = room[0] >= 6 ? 0 : room.indexOf(Math.max(...room));
      if (room[where] < 6) where = 0;
    }
    if (room[where] < 2) return x1;
    const shown = cut(text, room[where]), width = columns(shown) * this.letter;
    if (where === 0) g.fillStyle = look.ink;
    g.fillText(shown, [x0 + 4, x1 + 5, x0 - 5 - width][where], y + BAR / 2 + 1);
    return where === 1 ? x1 + 5 + width : x1;
  }

  // drawPoints draws where the operations in view take effect, with their numbers
  // in the order, and a line through them while they are few.
  drawPoints(g) {
    if (!this.model.gap || this.points.length === 0) return;
    const c = this.colours, place = this.model.place;
    const points = this.points.map(p => ({k: place[p.i], x: this.x(this.pointOf(p.i)), y: p.y})).sort((a, b) => a.k - b.k);
    if (points.length <= 60) {
      g.beginPath();
      points.forEach((p, j) => {
        const next = j > 0 && points[j - 1].k === p.k - 1;
        g[next ? "lineTo" : "moveTo"](p.x, p.y + BAR);
      });
      g.strokeStyle = c.accent;
      g.globalAlpha = 0.45;
      g.lineWidth = 1.2;
      g.stroke();
      g.globalAlpha = 1;
    }
    const numbers = points.length <= 200;
    g.font = "10px " + MONO;
    for (const p of points) {
      g.fillStyle = c.accent;
      g.fillRect(p.x - 0.75, p.y, 1.5, BAR);
      g.beginPath();
      g.arc(p.x, p.y + BAR, 3, 0, 7);
      g.fill();
      if (numbers) {
        g.fillStyle = c.text;
        g.fillText(String(p.k + 1), p.x + 5, p.y + BAR + 7);
      }
    }
    g.font = "12px " + MONO;
  }

  drawEdges(g) {
    const m = this.model;
    if (!m.edges.length || m.edges.length > 2000) return;
    g.strokeStyle = g.fillStyle = this.colours.muted;
    g.lineWidth = 1.2;
    for (const [from, to] of m.edges) {
      const l0 = this.laneOf[from], l1 = this.laneOf[to];
      if (l0 < 0 || l1 < 0) continue;
      const x0 = Math.min(this.x(this.endOf(from)), this.x(this.startOf(from)) + 40), x1 = this.x(this.startOf(to));
      const y0 = this.laneY(l0) + BAR / 2, y1 = this.laneY(l1) + BAR / 2;
      g.beginPath();
      g.moveTo(x0, y0);
      g.bezierCurveTo(x0 + 25, y0, x1 - 25, y1, x1, y1);
      g.stroke();
      g.beginPath();
      g.moveTo(x1, y1);
      g.lineTo(x1 - 7, y1 - 4);
      g.lineTo(x1 - 7, y1 + 4);
      g.fill();
    }
  }

  // drawPrefix shades what is after the shortest prefix that fails.
  drawPrefix(g) {
    if (this.model.prefixEnd < 0) return;
    const x = Math.max(GUTTER, this.x(this.time(this.model.prefixEnd)) + 1);
    if (x > this.width) return;
    const c = this.colours;
    g.fillStyle = c.after;
    g.fillRect(x, AXIS, this.width - x, this.height);
    g.fillStyle = c.bad;
    g.fillRect(x - 1, AXIS, 2, this.height);
    g.textBaseline = "middle";
    const text = "the failing prefix ends", room = (x - GUTTER) / this.letter;
    g.fillStyle = c.bg;
    if (room > text.length + 2) {
      g.fillRect(x - 8 - text.length * this.letter, this.height - 19, text.length * this.letter + 6, 16);
      g.fillStyle = c.bad;
      g.fillText(text, x - 5 - text.length * this.letter, this.height - 11);
    }
  }

  // drawGrid draws the axis.
  drawGrid(g) {
    const c = this.colours, span = this.plotWidth / this.scale;
    const least = span / (this.plotWidth / 80); // of a label
    let unit = 10 ** Math.floor(Math.log10(least));
    unit *= [1, 2, 5, 10].find(f => unit * f >= least);
    if (!this.real) unit = Math.max(1, Math.round(unit));
    g.textBaseline = "middle";
    this.grid = [];
    for (let k = Math.max(0, Math.ceil(this.left / unit)); k * unit <= this.left + span; k++) {
      const x = this.x(k * unit);
      g.fillStyle = c.grid;
      g.fillRect(x, AXIS, 1, this.height);
      this.grid.push([x, this.real ? "+" + Number((k * unit).toPrecision(12)).toLocaleString("en", {maximumFractionDigits: 9}) : String(k * unit)]);
    }
  }

  // drawNames draws the axis and the names of the lanes over everything else.
  drawNames(g, first, last) {
    const c = this.colours;
    g.fillStyle = c.panel;
    g.fillRect(0, 0, this.width, AXIS);
    g.fillRect(0, 0, GUTTER - 8, this.height);
    g.fillStyle = c.line;
    g.fillRect(0, AXIS - 1, this.width, 1);
    g.fillRect(GUTTER - 8, 0, 1, this.height);
    g.fillStyle = c.muted;
    g.font = "11px " + MONO;
    g.save();
    g.beginPath();
    g.rect(GUTTER - 6, 0, this.width, AXIS);
    g.clip();
    for (const [x, text] of this.grid) g.fillText(text, x + 3, AXIS / 2);
    g.restore();
    g.fillText(this.real ? "time" : this.model.data.relaxed ? "step" : "event", 10, AXIS / 2);
    g.font = "12px " + MONO;
    g.save();
    g.beginPath();
    g.rect(0, AXIS, GUTTER - 9, this.height);
    g.clip();
    for (let l = first; l <= last; l++) {
      g.fillStyle = c.text;
      g.fillText(cut(this.lanes[l].name, 10), 10, this.laneY(l) + BAR / 2);
    }
    g.restore();
  }

  // ---- mouse and touch

  // at returns the operation at a place of the canvas, or -1. Within a few pixels, a
  // marked one comes first.
  at(x, y) {
    if (!this.model || x < GUTTER - 8 || y < AXIS) return -1;
    const lane = this.lanes[Math.floor((y - AXIS + this.scroller.scrollTop) / this.laneHeight)];
    if (!lane) return -1;
    for (const [ops, slack] of [[lane.marked, 3], [lane.ops, 2]]) {
      const k = lowerBound(ops.length, j => this.x(this.endOf(ops[j])) >= x - slack);
      if (k < ops.length && this.x(this.startOf(ops[k])) <= x + slack) return ops[k];
    }
    return -1;
  }

  listen() {
    const canvas = this.canvas, fingers = new Map();
    let moved = false, spread = 0;
    const place = e => {
      const box = canvas.getBoundingClientRect();
      return [e.clientX - box.left, e.clientY - box.top];
    };
    canvas.addEventListener("wheel", e => {
      const [x] = place(e);
      const step = e.deltaMode === 1 ? 30 : 1;
      if (x < GUTTER - 8 && !e.ctrlKey) return; // the lanes scroll
      e.preventDefault();
      const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY);
      if (e.shiftKey || sideways) this.pan((sideways ? e.deltaX : e.deltaY) * step);
      else this.zoom(Math.exp(-e.deltaY * step * (e.ctrlKey ? 0.01 : 0.0022)), Math.max(GUTTER, x));
    }, {passive: false});
    canvas.addEventListener("pointerdown", e => {
      canvas.setPointerCapture(e.pointerId);
      fingers.set(e.pointerId, place(e));
      moved = fingers.size > 1;
      spread = 0;
    });
    canvas.addEventListener("pointermove", e => {
      const [x, y] = place(e);
      if (!fingers.has(e.pointerId)) {
        this.actions.hover(this.at(x, y), x, y);
        return;
      }
      const [fromX, fromY] = fingers.get(e.pointerId);
      fingers.set(e.pointerId, [x, y]);
      if (fingers.size === 2) {
        const [a, b] = [...fingers.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (spread) this.zoom(now / spread, (a[0] + b[0]) / 2);
        this.pan((fromX - x) / 2, (fromY - y) / 2);
        spread = now;
        return;
      }
      if (!moved && Math.abs(x - fromX) + Math.abs(y - fromY) < 4) {
        fingers.set(e.pointerId, [fromX, fromY]);
        return;
      }
      moved = true;
      canvas.classList.add("dragging");
      this.actions.hover(-1);
      this.pan(fromX - x, fromY - y);
    });
    const up = e => {
      if (fingers.delete(e.pointerId) && !moved && e.type === "pointerup") this.actions.select(this.at(...place(e)));
      canvas.classList.remove("dragging");
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointerleave", () => this.actions.hover(-1));
    canvas.addEventListener("dblclick", e => this.zoom(2.5, place(e)[0]));
  }
}

// Characters that take two columns in a monospaced font, and those that take none.
const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\u3247\u3250-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2fb}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NARROWEST = /[\p{M}\u200b-\u200f]/u;

// columns returns how many columns a text takes.
function columns(text) {
  if (/^[\x00-\x7f]*$/.test(text)) return text.length;
  let n = 0;
  for (const c of text) n += WIDE.test(c) ? 2 : NARROWEST.test(c) ? 0 : 1;
  return n;
}

// cut shortens a text to so many columns.
function cut(text, most) {
  if (2 * text.length <= most || columns(text) <= most) return text;
  let end = 0, left = most - 1;
  for (const c of text) {
    left -= columns(c);
    if (left < 0) break;
    end += c.length;
  }
  return text.slice(0, end) + "\u2026";
}
