// What is beside the timeline: lists of any length, the reasons, the details of an
// operation.

const ROW = 26; // pixels, as in the style

// A List is a table of which only the visible rows are in the document. Columns are
// {title, width, text(i, k), className, onSort}: numbers have the class num, and the
// class tail cuts at the beginning. Arrow keys move the active row.
class List {
  constructor(parent, label, columns, onActivate) {
    this.columns = columns;
    this.onActivate = onActivate;
    this.rows = [];
    this.active = -1;
    this.serial = List.count = (List.count || 0) + 1;
    const grid = columns.map(c => c.width).join(" ");
    this.head = element("div", {className: "head", role: "row", ariaRowIndex: "1"});
    this.head.style.gridTemplateColumns = grid;
    for (const column of columns) {
      const cell = element("div", {role: "columnheader", className: column.className === "num" ? "num" : ""});
      if (column.onSort) cell.append(element("button", {type: "button", onclick: column.onSort}, column.title));
      else cell.textContent = column.title;
      column.cell = cell;
      this.head.append(cell);
    }
    this.window = element("div", {className: "window", role: "presentation"});
    this.spacer = element("div", {role: "presentation"});
    this.scroller = element("div", {className: "rows", tabIndex: 0, role: "grid"}, this.head, this.spacer, this.window);
    this.scroller.addEventListener("scroll", () => this.draw());
    this.scroller.addEventListener("keydown", e => this.key(e));
    this.scroller.setAttribute("aria-label", label + ": arrow keys move, Enter selects");
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    this.grid = grid;
    parent.append(this.scroller);
  }

  set(rows) {
    this.rows = rows;
    this.active = -1;
    this.scroller.setAttribute("aria-rowcount", rows.length + 1);
    this.spacer.style.height = rows.length * ROW + "px";
    this.scroller.scrollTop = 0;
    this.draw();
  }

  draw() {
    const top = this.scroller.scrollTop, height = this.scroller.clientHeight;
    if (!height) return;
    const first = Math.max(0, Math.floor(top / ROW) - 4); // the head covers one row
    const last = Math.min(this.rows.length, Math.ceil((top + height) / ROW) + 4);
    const all = [];
    for (let k = first; k < last; k++) all.push(this.row(k));
    this.window.style.transform = `translateY(${first * ROW}px)`;
    this.window.replaceChildren(...all);
    if (this.active >= first && this.active < last) this.scroller.setAttribute("aria-activedescendant", `list${this.serial}-${this.active}`);
    else this.scroller.removeAttribute("aria-activedescendant");
  }

  row(k) {
    const row = element("div", {className: "row", role: "row", id: `list${this.serial}-${k}`, ariaRowIndex: String(k + 2), ariaSelected: String(k === this.active)});
    row.style.gridTemplateColumns = this.grid;
    for (const column of this.columns) {
      const text = column.text(this.rows[k], k), shown = cut(text, 300);
      row.append(element("div", {role: "gridcell", className: column.className || "", title: text.length > 14 ? text.slice(0, 2000) : ""},
        column.className === "tail" ? element("bdi", {dir: "ltr"}, shown) : shown));
    }
    if (this.columns[0].rowClass) row.firstChild.classList.add(this.columns[0].rowClass(this.rows[k]));
    row.addEventListener("click", () => this.activate(k));
    return row;
  }

  activate(k) {
    this.active = k;
    this.draw();
    this.onActivate(this.rows[k], k);
  }

  // show makes row k the active one and brings it into view.
  show(k) {
    this.active = k;
    const y = k * ROW, s = this.scroller;
    if (k >= 0 && (y < s.scrollTop || y + 2 * ROW > s.scrollTop + s.clientHeight - 8)) s.scrollTop = y - s.clientHeight / 2;
    this.draw();
  }

  key(e) {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW) - 1);
    const to = {ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + page, PageUp: this.active - page, Home: 0, End: this.rows.length - 1}[e.key];
    if (e.key === "Enter" && this.active >= 0) this.onActivate(this.rows[this.active], this.active, true);
    else if (to === undefined || !this.rows.length) return;
    else {
      const k = Math.min(this.rows.length - 1, Math.max(0, to));
      this.show(k);
      if (!this.lazy) this.onActivate(this.rows[k], k);
    }
    e.preventDefault();
    e.stopPropagation();
  }
}

// opButton returns a button that selects an operation.
function opButton(model, i, actions) {
  return element("button", {className: "op", type: "button", title: `process ${model.process(i)}, line ${model.line[i]}`, onclick: () => actions.go(i)},
    `#${model.id(i)} ${cut(model.text(i), 160)}`);
}

function opButtons(model, ops, actions, limit) {
  const all = [];
  ops.slice(0, limit).forEach((i, k) => all.push(...(k ? [" "] : []), opButton(model, i, actions)));
  if (ops.length > limit) all.push(` and ${(ops.length - limit).toLocaleString("en")} more`);
  return all;
}

const code = text => element("code", {}, cut(text, 2000));

// sentence joins parts by commas and "or".
function either(texts) {
  const parts = [];
  texts.forEach((text, k) => parts.push(...(k ? [" or "] : []), code(text)));
  return parts;
}

// whyPanel returns what there is to say about the verdict. The sentences are those of the
// text reports.
function whyPanel(model, actions) {
  const all = [], row = model.row, d = model.data;
  const p = (...parts) => all.push(element("p", {}, ...parts));
  const heading = text => all.push(element("h3", {}, text));
  const list = (tag, items) => all.push(element(tag, {}, ...items.map(i => element("li", {}, ...i))));
  for (const passage of d.reason) {
    if (passage.title) heading(passage.title);
    if (passage.text) p(passage.text);
    if (passage.items && passage.items[0].returns) all.push(statesTable(passage.items));
    else if (passage.items) list("ul", passage.items.map(i => passageItem(model, i, actions)));
    if (passage.more) p(`and ${passage.more.toLocaleString("en")} more`);
    if (passage.core && model.core.length) p(element("button", {type: "button", onclick: () => actions.show("core")}, "Show only these"));
  }
  if (row.verdict === "linearizable") whyLinearizable(model, p, heading);
  const notes = [];
  if (row.pending) notes.push([`${plural(row.pending, "operation")} never returned. Such an operation may take effect at any time after its invocation, or never.`]);
  if (d.dropped) notes.push([`${plural(d.dropped, "operation")} certainly did not happen and ${d.dropped === 1 ? "is" : "are"} not shown.`]);
  if (d.relaxed) notes.push(["Only the order of each process counts (--order program): the timeline has each process's operations one after another, and positions of different processes say nothing."]);
  if (model.edges.length) notes.push([`${plural(model.edges.length, "order", "orders")} beyond real time ${model.edges.length > 2000 ? "are too many to be drawn" : "are drawn as arrows"}.`]);
  if (notes.length) {
    heading("Note");
    list("ul", notes);
  }
  return all;
}

// statesTable returns the states that an object can be in, with what the unexplained operation
// would return in each.
function statesTable(items) {
  const row = (tag, ...cells) => element("tr", {}, ...cells.map(c => element(tag, tag === "th" ? {scope: "col"} : {}, c)));
  return element("table", {className: "states"}, element("thead", {}, row("th", "state", "it would return")),
    element("tbody", {}, ...items.map(i => row("td", code(i.text), code(i.returns || "")))));
}

// passageItem returns the parts of an item: the text about an operation selects it.
function passageItem(model, item, actions) {
  const text = item.op < 0 ? code(item.text)
    : element("button", {className: "op", type: "button", onclick: () => actions.go(item.op)}, cut(item.text, 400));
  return [item.lead ? item.lead + " " : "", text, item.then ? ": " + item.then : ""];
}

// whyLinearizable adds what the page shows of a witness.
function whyLinearizable(model, p, heading) {
  if (!model.order.length) return;
  heading("Order");
  p(model.gap ? "The points in the bars, and the list \u201cOrder\u201d, show one order." : "The list \u201cOrder\u201d shows one.", model.states ? "" : " The specification does not describe its states.");
  const s = model.states;
  if (s && s.fault) p(`The states end early: ${s.fault}.`);
  else if (s && s.step.length < model.order.length) {
    p(`The states are long: the page has those after ${s.step.length.toLocaleString("en")} of ${model.order.length.toLocaleString("en")} steps, evenly spread.`);
  }
  if (model.idle.size) p(`${plural(model.idle.size, "pending operation")} did not take effect in this order.`);
}

// showDetails fills the box about the selected operation.
function showDetails(model, i, actions) {
  const box = byId("details");
  if (i < 0) {
    box.replaceChildren(element("span", {className: "hint"}, "Select an operation for its details: by a click, j and k, or a row of the table."));
    return;
  }
  const terms = element("dl");
  const add = (name, ...what) => terms.append(element("div", {}, element("dt", {}, name), element("dd", {}, ...what)));
  add("process", model.process(i));
  if (model.line[i]) add("line", String(model.line[i]));
  if (model.key(i) !== null) add("key", code(model.key(i)));
  add("events", model.pending(i) ? `${model.call[i]}, no response` : `${model.call[i]} to ${model.end[i]}`);
  if (model.stamps) {
    const s = model.stamps;
    add("time", `+${s[model.call[i]].toLocaleString("en")}` + (model.pending(i) ? "" : `, for ${(s[model.end[i]] - s[model.call[i]]).toLocaleString("en")}`));
  }
  if (model.waits[i]) add("waits for ever", model.waits[i]);
  if (model.happened.has(i)) add("known", "it took effect");
  const k = model.place[i];
  if (k >= 0) {
    add("place in the order", `${k + 1} of ${model.n}`);
    if (model.idle.has(k)) add("effect", "none: it did not take effect");
    const got = model.states && model.states.result && model.states.result[k];
    if (got !== undefined && got !== null) add(model.pending(i) ? "would return" : "can have returned", code(got));
    const before = model.stateAfter(k - 1), after = model.stateAfter(k);
    if (before !== null) add("state before", code(before));
    if (after !== null) add("after", code(after));
  }
  for (const g of model.allowed.get(i) || []) {
    const group = model.free[g];
    add("would do", ...either(group.find(f => f.op === i).allowed), group.length > 1 ? ` with ${plural(group.length - 1, "other change")}` : "");
  }
  const beside = model.concurrent(i, model.n);
  if (beside.length) add("concurrent", ...opButtons(model, beside, actions, 8));
  box.replaceChildren(
    ...model.tags(i).map(([kind, text]) => element("span", {className: "tag " + kind}, text)),
    element("span", {className: "what"}, `#${model.id(i)} ${cut(model.text(i), 4000)}`), terms);
}

// showTooltip shows what is known of an operation beside the pointer.
function showTooltip(model, i, x, y) {
  const tip = byId("tooltip");
  tip.hidden = i < 0;
  if (i < 0) return;
  const lines = [`process ${model.process(i)}` + (model.line[i] ? `, line ${model.line[i]}` : "") + (model.key(i) !== null ? `, key ${model.key(i)}` : "")];
  for (const [, text] of model.tags(i)) lines.push(text);
  for (const g of (model.allowed.get(i) || []).slice(0, 3)) lines.push("would do: " + model.free[g].find(f => f.op === i).allowed.join(" or "));
  if (model.waits[i]) lines.push(model.waits[i]);
  const k = model.place[i];
  if (k >= 0) {
    const state = model.stateAfter(k);
    lines.push(`step ${k + 1} of the order` + (state === null ? "" : `; state after it: ${cut(state, 300)}`));
  }
  tip.replaceChildren(element("b", {}, `#${model.id(i)} ${cut(model.text(i), 600)}`), ...lines.map(t => element("div", {}, t)));
  const chart = byId("chart"), top = byId("scroller").offsetTop;
  const width = tip.offsetWidth, height = tip.offsetHeight;
  tip.style.left = Math.max(4, Math.min(x + 14, chart.clientWidth - width - 8)) + "px";
  const below = top + y + 18;
  tip.style.top = (below + height < chart.clientHeight ? below : Math.max(4, top + y - height - 12)) + "px";
}

// legend returns the signs that the history needs.
function legend(model) {
  const all = [], used = model.flags.reduce((a, f) => a | f, 0);
  const add = (fill, edge, sign, text, ink) => {
    const box = element("i", {}, sign);
    Object.assign(box.style, {background: `var(--${fill})`, borderColor: `var(--${edge})`, color: ink || "inherit"});
    all.push(element("span", {}, box, text));
  };
  model.methods.slice(0, 5).forEach((m, k) => add("bar" + k, "edge" + k, "", model.data.texts[m]));
  if (model.methods.length > 5) add("bar5", "edge5", "", model.methods.length === 6 ? model.data.texts[model.methods[5]] : "other methods");
  if (used & UNEXPLAINED) add("bad-solid", "bad", "\u2717", "first response that no order explains", "#fff");
  if (used & BLAMED) add("bad-fill", "bad", "!", "another result would do");
  if (used & CORE) add("bg", "core", "\u25c6", "minimal sub-history");
  if (used & CLASH) add("bg", "core", "\u25c7", "in conflict");
  if (used & LATE) add("bg", "late", "\u2192", "delayed");
  if (model.gap) all.push(element("span", {}, "\u25cf takes effect here, with its place in the order"));
  if (model.data.return.some(r => r < 0)) all.push(element("span", {}, "dashed, open: never returned"));
  return all;
}
