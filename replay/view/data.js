// The data: the index of the page, and its histories, which are decoded on demand.

const byId = id => document.getElementById(id);
const index = JSON.parse(byId("index").textContent);

// element returns a new element. Texts become text nodes, never markup.
function element(tag, properties, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name in e && name !== "role") e[name] = value;
    else e.setAttribute(name, value);
  }
  e.append(...children.filter(c => c !== null && c !== undefined));
  return e;
}

async function decode(i) {
  const packed = atob(byId("h" + i).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let k = 0; k < packed.length; k++) bytes[k] = packed.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Model(index.rows[i], await new Response(stream).json());
}

// Why an operation is marked. An operation may have several marks.
const UNEXPLAINED = 1, BLAMED = 2, CORE = 4, LATE = 8, CLASH = 16, MATCH = 32;

const plural = (n, one, many) => n.toLocaleString("en") + " " + (n === 1 ? one : many || one + "s");

// A Model is one history with what follows from it. Operations are numbers.
class Model {
  constructor(row, data) {
    this.row = row;
    this.data = data;
    const n = this.n = row.ops;
    this.call = Int32Array.from(data.call);
    this.events = 0;
    for (let i = 0; i < n; i++) this.events = Math.max(this.events, this.call[i] + 1, data.return[i] + 1);
    // A pending operation ends after the last event.
    this.end = Int32Array.from(data.return, r => r < 0 ? this.events : r);
    this.line = Int32Array.from(data.line);
    for (let i = 1; i < n; i++) this.line[i] += this.line[i - 1];
    this.happened = new Set(data.happened);
    this.waits = data.waits || {};
    this.packed = data.packed || data.processes.length > 200; // at first
    this.edges = (data.edges || []).map(e => [e.From, e.To]);
    this.readStamps();
    this.readWitness();
    this.mark();
    this.colour();
  }

  readStamps() {
    const stamps = this.data.stamps;
    if (!stamps) return;
    this.stamps = new Float64Array(this.events + 1);
    for (let e = 1; e < this.events; e++) this.stamps[e] = this.stamps[e - 1] + stamps[e];
    const last = this.stamps[this.events - 1];
    this.stamps[this.events] = last + Math.max(1, last * 0.02);
  }

  // A point of the witness is between the invocation and the response of its
  // operation, and points are in the order of the witness. Each is half way between
  // the earliest and the latest of such places. gap is the event before it, and
  // part how far it is from there to the next event.
  readWitness() {
    const order = this.order = this.data.witness || [], n = order.length;
    this.place = new Int32Array(this.n).fill(-1);
    order.forEach((op, k) => { this.place[op] = k; });
    this.states = this.data.states || null;
    this.idle = new Set(this.states && this.states.idle);
    if (!n || this.data.relaxed) return;
    // spread divides each gap among the points in it.
    const spread = gaps => {
      const at = new Float64Array(n);
      for (let first = 0, k = 0; k < n; k++) {
        if (gaps[k] !== gaps[first]) first = k;
        if (k + 1 < n && gaps[k + 1] === gaps[k]) continue;
        for (let j = first; j <= k; j++) at[j] = gaps[k] + (j - first + 1) / (k - first + 2);
      }
      return at;
    };
    const early = new Int32Array(n), late = new Int32Array(n);
    for (let k = 0; k < n; k++) early[k] = Math.max(k ? early[k - 1] : 0, this.call[order[k]]);
    for (let k = n - 1; k >= 0; k--) late[k] = Math.min(k + 1 < n ? late[k + 1] : this.events - 1, this.end[order[k]] - 1);
    const from = spread(early), to = spread(late);
    this.gap = new Int32Array(n);
    this.part = new Float64Array(n);
    for (let k = 0; k < n; k++) {
      const at = (from[k] + to[k]) / 2;
      this.gap[k] = Math.floor(at);
      this.part[k] = at - this.gap[k];
    }
  }

  mark() {
    const flags = this.flags = new Uint8Array(this.n), why = this.data.why;
    this.allowed = new Map(); // operation -> groups of freed results that it is in
    this.free = why && why.free || [];
    this.core = why && why.core || [];
    this.late = this.data.tuple || [];
    this.delay = new Map(this.late.map((op, k) => [op, k + 1]));
    this.clash = !this.core.length && this.data.clash || []; // less than the core
    this.unexplained = why ? why.unexplained : -1;
    this.free.forEach((group, g) => group.forEach(f => {
      flags[f.op] |= BLAMED;
      if (!this.allowed.has(f.op)) this.allowed.set(f.op, []);
      this.allowed.get(f.op).push(g);
    }));
    this.core.forEach(op => { flags[op] |= CORE; });
    this.late.forEach(op => { flags[op] |= LATE; });
    this.clash.forEach(op => { flags[op] |= CLASH; });
    if (this.unexplained >= 0) flags[this.unexplained] |= UNEXPLAINED;
    this.blamed = [...this.allowed.keys()].sort((a, b) => a - b);
    // What is after this event does not matter to the failure.
    this.prefixEnd = this.unexplained >= 0 && !this.data.relaxed ? this.end[this.unexplained] : -1;
  }

  // The most frequent methods have colours of their own.
  colour() {
    const count = new Map();
    for (const m of this.data.method) count.set(m, (count.get(m) || 0) + 1);
    this.methods = [...count.keys()].sort((a, b) => count.get(b) - count.get(a));
    this.colours = new Map(this.methods.map((m, k) => [m, Math.min(k, 5)]));
  }

  method(i) { return this.data.texts[this.data.method[i]]; }
  args(i) { return this.data.texts[this.data.args[i]]; }
  result(i) { return this.data.texts[this.data.result[i]]; }
  pending(i) { return this.data.return[i] < 0; }
  process(i) { return this.data.processes[this.data.process[i]]; }
  key(i) { return this.data.part && this.data.part[i] >= 0 ? this.data.texts[this.data.part[i]] : null; }
  id(i) { return this.data.id ? this.data.texts[this.data.id[i]] : String(i); }
  colourOf(i) { return this.colours.get(this.data.method[i]); }

  // text is the operation as people write it.
  text(i) {
    const result = i in this.waits ? ": never returned" : this.pending(i) ? ": pending" : this.result(i) === "" ? "" : ": " + this.result(i);
    return `${this.method(i)}(${this.args(i)})${result}`;
  }

  // tags lists why an operation is marked, in words, with the class of each tag.
  tags(i) {
    const f = this.flags[i], tags = [];
    if (f & UNEXPLAINED) tags.push(["bad", "no order explains " + (i in this.waits ? "that it never returned" : "its response")]);
    if (f & BLAMED) tags.push(["bad", "another result would do"]);
    if (f & CORE) tags.push(["core", "in the minimal sub-history"]);
    if (f & CLASH) tags.push(["core", "in conflict"]);
    if (f & LATE) tags.push(["late", `delayed, no. ${this.delay.get(i)}`]);
    return tags;
  }

  // concurrent lists operations that overlap with i, at most limit of them.
  concurrent(i, limit) {
    const all = [];
    if (this.data.relaxed) return all;
    for (let j = 0; j < this.n && all.length < limit; j++) {
      if (this.call[j] > this.end[i]) break; // numbered by invocation
      if (j !== i && this.end[j] > this.call[i] && this.call[j] < this.end[i]) all.push(j);
    }
    return all;
  }

  // stateAfter returns the text of the state after step k of the witness, or null
  // if the page does not have it; -1 is the beginning.
  stateAfter(k) {
    const s = this.states;
    if (!s) return null;
    if (k < 0) return s.initial;
    const at = lowerBound(s.step.length, j => s.step[j] >= k);
    return at < s.step.length && s.step[at] === k ? s.text[at] : null;
  }

  // matching returns a function that reports whether an operation has all terms of
  // a query, or null for an empty query.
  matching(query) {
    const terms = query.match(/\w*:?"[^"]*"?|\S+/g);
    if (!terms) return null;
    const tests = terms.map(term => this.term(term));
    return i => tests.every(test => test(i));
  }

  term(term) {
    const named = /^(key|process|method|line|id|value|returns):(.*)$/.exec(term);
    if (term.startsWith("#") && term.length > 1) return i => this.id(i) === term.slice(1);
    if (term.startsWith('"')) {
      const part = term.replace(/^"|"$/g, "");
      return i => this.text(i).includes(part);
    }
    if (named) {
      const want = named[2].replace(/^"(.*)"$/, "$1");
      const same = text => text === want || text === JSON.stringify(want);
      switch (named[1]) {
      case "key": return i => this.key(i) !== null && same(this.key(i));
      case "process": return i => this.process(i) === want;
      case "method": return i => this.method(i) === want;
      case "line": return i => String(this.line[i]) === want;
      case "id": return i => this.id(i) === want;
      case "returns": return i => !this.pending(i) && same(this.result(i));
      }
      term = want;
    }
    // Each different text is looked at once.
    const lower = term.toLowerCase(), isNumber = /^[-+]?[\d.]+$/.test(term);
    const texts = this.data.texts, asMethod = new Uint8Array(texts.length), asValue = new Uint8Array(texts.length);
    texts.forEach((text, t) => {
      asMethod[t] = !isNumber && text.toLowerCase().includes(lower);
      asValue[t] = isNumber ? text.split(/[\s,:[\]{}()"!]+/).includes(term) : text.toLowerCase().includes(lower);
    });
    const d = this.data, wholeValue = named !== null;
    return i => !wholeValue && (asMethod[d.method[i]] || this.id(i) === term) ||
      asValue[d.args[i]] || !this.pending(i) && asValue[d.result[i]];
  }
}

// lowerBound returns the first k below n for which is(k), or n. All before it are
// false and all after it are true.
function lowerBound(n, is) {
  let low = 0;
  while (low < n) {
    const middle = (low + n) >> 1;
    if (is(middle)) n = middle;
    else low = middle + 1;
  }
  return low;
}
