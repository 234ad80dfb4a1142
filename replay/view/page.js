// The page: it shows the list of histories or one of them, and joins the timeline
// with what is beside it.

const app = {model: null, timeline: null, matches: [], match: -1};
globalThis.leadline = app; // for tests and the curious

const signs = {linearizable: "\u2713", "not-linearizable": "\u2717", unknown: "?", invalid: "\u26a0"};
const say = text => { byId("live").textContent = text; };

const actions = {
  hover(i, x, y) { showTooltip(app.model, i, x, y); },
  select(i) { select(i); },
  go(i) { select(i, true); },
  show(what) {
    byId("show").value = what;
    applyFilter();
    app.timeline.fit();
  },
};

// ---- one history

async function openHistory(i) {
  const row = index.rows[i];
  byId("archive").hidden = true;
  byId("problem").hidden = true;
  byId("back").hidden = index.rows.length === 1;
  setTitle(shorter(row.name), row);
  byId("title").title = row.name;
  if (row.verdict === "invalid") {
    byId("history").hidden = true;
    problem(row.error);
    return;
  }
  byId("history").hidden = false;
  if (!app.timeline) {
    app.timeline = new Timeline(actions);
    makeLists();
  }
  let model;
  try {
    model = await decode(i);
  } catch (e) {
    problem("The history could not be read: " + e.message);
    return;
  }
  if (app.opening !== i) return; // another one was opened since
  app.model = model;
  app.matches = [];
  app.match = -1;
  byId("search").value = "";
  byId("matches").textContent = "";
  byId("facts").textContent = byId("facts").title = [row.model, plural(row.ops, "operation"), plural(row.processes, "process", "processes"),
    row.pending ? `${row.pending} pending` : "", row.c && !model.data.relaxed ? `at most ${row.c} at once` : "", depthText(row)].filter(Boolean).join(" \u00b7 ");
  fillFilters(model);
  fillJumps(model);
  byId("legend").replaceChildren(...legend(model));
  byId("panel-why").replaceChildren(...whyPanel(model, actions));
  byId("steps").hidden = !model.data.steps;
  byId("steps").textContent = model.data.steps || "";
  byId("tab-order").hidden = !model.order.length;
  byId("timeline").setAttribute("aria-label", `Timeline of ${plural(model.n, "operation")} of ${plural(row.processes, "process", "processes")}`);
  app.timeline.setModel(model);
  app.timeline.resize();
  app.order.set(model.order);
  app.ops.set(Array.from({length: model.n}, (_, k) => k));
  showTab("why");
  showDetails(model, -1, actions);
  if (model.unexplained >= 0) { // the failing prefix ends there
    jumpTo([model.unexplained, ...model.concurrent(model.unexplained, 30)]);
    app.timeline.goTo([model.unexplained]); // among many lanes
  }
  app.timeline.draw();
  if (index.rows.length > 1) byId("timeline").focus({preventScroll: true});
  app.ready = i;
}

function depthText(row) {
  if (row.depth) return `depth ${row.depth}`;
  return row.verdict === "linearizable" && row.deeper ? `depth over ${row.deeper}` : "";
}

// shorter leaves out the beginning of a long path.
const shorter = name => name.length > 46 ? "\u2026" + name.slice(-45) : name;

function setTitle(text, row) {
  byId("title").textContent = byId("title").title = text;
  document.title = text + " \u2013 leadline";
  const badge = byId("badge");
  badge.hidden = !row;
  if (!row) return;
  badge.className = "badge " + row.verdict;
  badge.textContent = `${signs[row.verdict]} ${row.verdict.replace("-", " ")}` + (row.cause ? ` (${row.cause})` : "");
}

function problem(text) {
  byId("problem").textContent = text;
  byId("problem").hidden = false;
}

function makeLists() {
  app.order = new List(byId("panel-order"), "Order of the witness", [
    {title: "Step", width: "46px", className: "num", text: (i, k) => String(k + 1)},
    {title: "Operation", width: "minmax(120px, 1.2fr)", className: "mono", text: i => `#${app.model.id(i)} ${app.model.text(i)}`},
    {title: "State after it", width: "minmax(90px, 1fr)", className: "mono", text: (i, k) => app.model.idle.has(k) ? "(no effect)" : app.model.stateAfter(k) ?? "\u2026"},
  ], i => select(i, true));
  app.ops = new List(byId("panel-ops"), "Operations", [
    {title: "Id", width: "52px", className: "num", text: i => app.model.id(i)},
    {title: "Process", width: "62px", text: i => app.model.process(i)},
    {title: "Operation", width: "minmax(120px, 1fr)", className: "mono", text: i => app.model.text(i)},
    {title: "Marks", width: "56px", text: i => flagText(app.model.flags[i])},
  ], i => select(i, true));
}

function flagText(f) {
  return [f & UNEXPLAINED && "\u2717", f & BLAMED && "!", f & CORE && "\u25c6", f & CLASH && "\u25c7", f & LATE && "\u2192", f & MATCH && "\u2022"].filter(Boolean).join(" ");
}

function select(i, move) {
  const t = app.timeline, m = app.model;
  if (i >= 0 && !t.shown[i]) resetFilters();
  t.selected = i;
  t.near = new Set(i >= 0 ? m.concurrent(i, 2000) : []);
  if (i >= 0 && move) t.goTo([i]);
  t.invalidate();
  showDetails(m, i, actions);
  app.ops.show(i >= 0 ? lowerBound(app.ops.rows.length, k => app.ops.rows[k] >= i) : -1);
  app.order.show(i >= 0 ? m.place[i] : -1);
  if (i >= 0) say([`operation ${m.id(i)}, process ${m.process(i)}: ${cut(m.text(i), 200)}`, ...m.tags(i).map(t => t[1])].join("; "));
}

function jumpTo(ops) {
  if (!ops.length) return;
  if (!ops.every(i => app.timeline.shown[i])) resetFilters();
  select(ops[0]);
  app.timeline.goTo(ops);
}

// fillJumps makes a button for each thing worth seeing. Those with several places go
// from one to the next.
function fillJumps(model) {
  const jumps = byId("jumps");
  jumps.replaceChildren();
  app.jumps = {};
  const add = (name, text, key, ops, whole) => {
    if (!ops.length) return;
    let at = -1;
    const button = element("button", {type: "button", id: "jump-" + name, title: `(${key})`}, text + (ops.length > 1 && !whole ? ` (${ops.length})` : ""));
    button.onclick = app.jumps[name] = () => {
      at = (at + 1) % ops.length;
      jumpTo(whole ? ops : [ops[at]]);
    };
    jumps.append(button);
  };
  add("unexplained", "\u2717 Unexplained response", "u", model.unexplained >= 0 ? [model.unexplained] : []);
  add("blamed", "! Results to blame", "b", model.blamed);
  add("core", `\u25c6 Minimal sub-history (${model.core.length})`, "c", model.core, true);
  if (model.core.length) jumps.append(element("button", {type: "button", id: "only-core", title: "(o)", onclick: () => {
    actions.show(byId("show").value === "core" ? "all" : "core");
  }}, "Show only these"));
  add("clash", "\u25c7 Conflict", "c", model.clash, true);
  add("late", "\u2192 Delayed", "d", model.late);
  add("pending", "Pending", "p", Array.from({length: model.n}, (_, i) => i).filter(i => model.pending(i)));
}

// ---- search and filters

const MAX_OPTIONS = 2000; // of a menu

function fillFilters(model) {
  const d = model.data;
  const fill = (id, all, options) => {
    const select = byId(id);
    select.replaceChildren(element("option", {value: ""}, all), ...options.slice(0, MAX_OPTIONS).map(([value, text]) => element("option", {value}, cut(text, 60))));
    if (options.length > MAX_OPTIONS) select.append(element("option", {disabled: true}, `${options.length - MAX_OPTIONS} more: use Find, ${id}:...`));
    select.value = "";
  };
  const natural = (a, b) => a[1].localeCompare(b[1], "en", {numeric: true});
  fill("method", "all", model.methods.map(m => [String(m), d.texts[m]]));
  const keys = d.part ? [...new Set(d.part)].filter(k => k >= 0) : [];
  byId("key-label").hidden = keys.length < 2;
  fill("key", "all", keys.map(k => [String(k), d.texts[k]]).sort(natural));
  fill("process", "all", d.processes.map((name, p) => [String(p), name]));
  fill("show", "all", []);
  const show = (value, text) => byId("show").append(element("option", {value}, text));
  byId("show").firstChild.value = "all";
  show("matches", "matches");
  if (model.core.length) show("core", `minimal sub-history (${model.core.length})`);
  if (model.clash.length) show("clash", `conflict (${model.clash.length})`);
  if (model.blamed.length) show("blamed", `results to blame (${model.blamed.length})`);
  if (model.unexplained >= 0) show("before", "failing prefix");
  if (model.late.length) show("late", `delayed (${model.late.length})`);
  show("near", "concurrent with the selected");
  byId("show").value = "all";
  byId("time-label").hidden = !model.stamps;
  byId("time").value = "rank";
  byId("lanes").value = model.packed ? "packed" : "process";
}

function resetFilters() {
  for (const id of ["method", "key", "process"]) byId(id).value = "";
  byId("show").value = "all";
  applyFilter();
}

function applyFilter() {
  const m = app.model, d = m.data, t = app.timeline;
  const [method, key, process] = ["method", "key", "process"].map(id => byId(id).value);
  const near = t.selected >= 0 ? new Set([t.selected, ...m.concurrent(t.selected, m.n)]) : new Set();
  const shows = {
    all: () => true, matches: i => m.flags[i] & MATCH, core: i => m.flags[i] & CORE, clash: i => m.flags[i] & CLASH,
    blamed: i => m.flags[i] & (BLAMED | UNEXPLAINED), late: i => m.flags[i] & LATE, near: i => near.has(i), before: i => m.call[i] < m.prefixEnd,
  }[byId("show").value];
  const rows = [];
  for (let i = 0; i < m.n; i++) {
    const shown = (!method || d.method[i] === +method) && (!key || d.part[i] === +key) && (!process || d.process[i] === +process) && shows(i);
    t.shown[i] = shown ? 1 : 0;
    if (shown) rows.push(i);
  }
  t.arrange();
  t.clamp();
  app.ops.set(rows);
  const only = byId("only-core");
  if (only) only.setAttribute("aria-pressed", String(byId("show").value === "core"));
  say(rows.length === m.n ? "All operations are shown" : `${plural(rows.length, "operation")} of ${m.n} shown`);
  byId("tab-ops").textContent = rows.length === m.n ? "Operations" : `Operations (${rows.length})`;
}

function search() {
  const m = app.model, is = m.matching(byId("search").value);
  app.matches = [];
  for (let i = 0; i < m.n; i++) {
    m.flags[i] &= ~MATCH;
    if (is && is(i)) {
      m.flags[i] |= MATCH;
      app.matches.push(i);
    }
  }
  app.match = -1;
  byId("matches").textContent = is ? plural(app.matches.length, "match", "matches") : "";
  if (is) say(plural(app.matches.length, "match", "matches"));
  if (byId("show").value === "matches") applyFilter();
  app.timeline.remark();
  app.ops.draw();
}

function nextMatch(step) {
  const n = app.matches.length;
  if (!n) return;
  app.match = (app.match + step + (app.match < 0 && step < 0 ? n + 1 : n)) % n;
  select(app.matches[app.match], true);
  byId("matches").textContent = `${app.match + 1} of ${n}`;
}

// ---- the list of histories

// commonFolder returns what the names of all histories begin with, up to a slash.
function commonFolder(names) {
  let common = names.length > 1 ? names[0] : "";
  for (const name of names) while (!name.startsWith(common)) common = common.slice(0, -1);
  return common.slice(0, common.lastIndexOf("/") + 1);
}

function makeArchive() {
  const rows = index.rows, order = {"not-linearizable": 0, unknown: 1, invalid: 2, linearizable: 3};
  const state = {by: null, down: false};
  const fields = {
    Verdict: r => order[r.verdict], History: r => r.name, Model: r => r.model, Operations: r => r.ops,
    Pending: r => r.pending || 0, Processes: r => r.processes, "At once": r => r.c || 0, Depth: r => r.depth || (r.deeper ? r.deeper + 0.5 : 0),
  };
  const sortBy = name => () => {
    state.down = state.by === name && !state.down;
    state.by = name;
    update();
  };
  const column = (title, width, text, className) => ({title, width, className, text: i => text(rows[i]), onSort: sortBy(title)});
  const columns = [
    column("Verdict", "150px", r => `${signs[r.verdict]} ${r.verdict.replace("-", " ")}` + (r.cause ? ` (${r.cause})` : "")),
    column("History", "minmax(160px, 3fr)", r => r.error || r.name.slice(index.common.length), "tail"),
    column("Model", "minmax(80px, 1fr)", r => r.model),
    column("Operations", "86px", r => r.verdict === "invalid" ? "" : r.ops.toLocaleString("en"), "num"),
    column("Pending", "70px", r => r.pending ? String(r.pending) : "", "num"),
    column("Processes", "86px", r => r.verdict === "invalid" ? "" : String(r.processes), "num"),
    column("At once", "70px", r => r.c ? String(r.c) : "", "num"),
    column("Depth", "60px", r => r.depth ? String(r.depth) : r.deeper ? `over ${r.deeper}` : "", "num"),
  ];
  columns[0].rowClass = i => rows[i].verdict;
  app.archive = new List(byId("archive-list"), "Histories", columns, (i, k, enter) => { location.hash = "#" + i; });
  app.archive.lazy = true; // arrows do not open histories
  const verdicts = ["not-linearizable", "unknown", "invalid", "linearizable"].filter(v => rows.some(r => r.verdict === v));
  byId("archive-verdict").append(element("option", {value: ""}, "all"), ...verdicts.map(v =>
    element("option", {value: v}, `${v.replace("-", " ")} (${rows.filter(r => r.verdict === v).length})`)));
  const update = () => {
    const words = byId("archive-search").value.toLowerCase().split(/\s+/), verdict = byId("archive-verdict").value;
    const list = [];
    rows.forEach((r, i) => {
      const text = (r.name + " " + r.model + " " + (r.error || "")).toLowerCase();
      if ((!verdict || r.verdict === verdict) && words.every(w => text.includes(w))) list.push(i);
    });
    const field = fields[state.by] || fields.Verdict; // failures come first
    list.sort((i, j) => {
      const x = field(rows[i]), y = field(rows[j]);
      const sign = typeof x === "string" ? x.localeCompare(y, "en", {numeric: true}) : x - y;
      return (state.down ? -sign : sign) || i - j;
    });
    for (const c of columns) c.cell.setAttribute("aria-sort", c.title !== state.by ? "none" : state.down ? "descending" : "ascending");
    app.archive.set(list);
    byId("archive-count").textContent = list.length === rows.length ? plural(rows.length, "history", "histories") : `${list.length} of ${rows.length}`;
    say(byId("archive-count").textContent);
  };
  byId("archive-search").addEventListener("input", update);
  byId("archive-verdict").addEventListener("change", update);
  update();
}

function openArchive() {
  byId("history").hidden = byId("back").hidden = byId("problem").hidden = true;
  byId("archive").hidden = false;
  byId("facts").textContent = byId("facts").title = Object.keys(signs).map(v => [v, index.rows.filter(r => r.verdict === v).length])
    .filter(([, n]) => n).map(([v, n]) => `${n.toLocaleString("en")} ${v.replace("-", " ")}`).join(" \u00b7 ");
  setTitle(plural(index.rows.length, "history", "histories") + (index.common ? " of " + shorter(index.common) : ""));
  if (index.full) problem(`The page is full. It holds the first ${plural(index.rows.length, "history", "histories")}; the others are left out.`);
  if (!app.archive) makeArchive();
  else app.archive.draw();
  app.archive.scroller.focus({preventScroll: true});
}

function route() {
  const i = /^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : -1;
  byId("tooltip").hidden = true;
  app.opening = i >= 0 && i < index.rows.length ? i : index.rows.length === 1 ? 0 : -1;
  if (app.opening >= 0) openHistory(app.opening);
  else openArchive();
}

// ---- tabs, theme, keys

function showTab(name) {
  for (const t of ["why", "order", "ops"]) {
    byId("panel-" + t).hidden = t !== name;
    byId("tab-" + t).setAttribute("aria-selected", String(t === name));
    byId("tab-" + t).tabIndex = t === name ? 0 : -1;
  }
  if (name === "order") app.order.show(app.order.active);
  if (name === "ops") app.ops.show(app.ops.active);
}

function setTheme(theme) {
  app.theme = theme;
  document.documentElement.style.colorScheme = theme === "auto" ? "light dark" : theme;
  byId("theme").textContent = "Theme: " + theme;
  try { localStorage.setItem("leadline-theme", theme); } catch { /* the page may not store */ }
  if (app.timeline) app.timeline.readColours();
}

const nextTheme = () => setTheme({auto: "light", light: "dark", dark: "auto"}[app.theme]);

// step selects the next operation that is shown, by invocation or in the order.
function step(by, inOrder) {
  const m = app.model, t = app.timeline, rows = inOrder ? m.order : app.ops.rows;
  if (!rows.length) return;
  let k = t.selected < 0 ? (by > 0 ? -1 : rows.length) : inOrder ? m.place[t.selected] : lowerBound(rows.length, j => rows[j] >= t.selected) - (by > 0 && !t.shown[t.selected] ? 1 : 0);
  k = Math.min(rows.length - 1, Math.max(0, k + by));
  select(rows[k], true);
}

const jump = name => () => app.jumps[name] && app.jumps[name]();
const keys = [
  [["ArrowLeft"], "\u2190", "move left", () => app.timeline.pan(-80)],
  [["ArrowRight"], "\u2192", "move right", () => app.timeline.pan(80)],
  [["ArrowUp"], "\u2191", "move up", () => app.timeline.pan(0, -60)],
  [["ArrowDown"], "\u2193", "move down", () => app.timeline.pan(0, 60)],
  [["+", "="], "+", "zoom in", () => app.timeline.zoom(1.5)],
  [["-", "_"], "-", "zoom out", () => app.timeline.zoom(1 / 1.5)],
  [["0"], "0", "show all", () => app.timeline.fit()],
  [["j"], "j", "next operation", () => step(1)],
  [["k"], "k", "previous operation", () => step(-1)],
  [["J"], "J", "next in the order", () => step(1, true)],
  [["K"], "K", "previous in the order", () => step(-1, true)],
  [["/"], "/", "find", () => byId("search").focus()],
  [["n"], "n", "next match", () => nextMatch(1)],
  [["N"], "N", "previous match", () => nextMatch(-1)],
  [["u"], "u", "unexplained response", jump("unexplained")],
  [["b"], "b", "next result to blame", jump("blamed")],
  [["c"], "c", "minimal sub-history or conflict", () => (app.jumps.core || app.jumps.clash || (() => {}))()],
  [["o"], "o", "show only the sub-history", () => byId("only-core") && byId("only-core").click()],
  [["d"], "d", "next delayed operation", jump("late")],
  [["p"], "p", "next pending operation", jump("pending")],
  [["r"], "r", "real time, order of events", () => app.model.stamps && setTime(!app.timeline.real)],
  [["1"], "1", "why", () => showTab("why")],
  [["2"], "2", "order", () => app.model.order.length && showTab("order")],
  [["3"], "3", "operations", () => showTab("ops")],
  [["t"], "t", "theme", nextTheme, true],
  [["l"], "l", "list of histories", () => index.rows.length > 1 && goBack(), true],
  [["?"], "?", "this help", () => byId("help").showModal(), true],
  [["Escape"], "Esc", "clear the selection", () => select(-1)],
];

function setTime(real) {
  app.timeline.setReal(real);
  byId("time").value = app.timeline.real ? "real" : "rank";
  say(app.timeline.real ? "real time" : "order of events");
}

function goBack() {
  history.pushState(null, "", "#");
  route();
}

function onKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || byId("help").open) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
  if (typing) {
    if (e.key === "Escape") e.target.blur();
    return;
  }
  const arrow = e.key.startsWith("Arrow");
  if (arrow && e.target !== document.body && e.target.id !== "timeline") return;
  if (!byId("keys-on").checked && e.target.id !== "timeline" && e.key !== "Escape") return;
  const found = keys.find(k => k[0].includes(e.key));
  if (!found || !found[4] && (byId("history").hidden || !app.model)) return;
  found[3]();
  e.preventDefault();
}

function start() {
  index.common = commonFolder(index.rows.map(r => r.name));
  let theme = "auto";
  try { theme = localStorage.getItem("leadline-theme") || theme; } catch { /* the page may not read */ }
  setTheme(["auto", "light", "dark"].includes(theme) ? theme : "auto");
  byId("help-keys").append(...keys.map(k => element("div", {}, element("kbd", {}, k[1]), k[2])));
  byId("theme").onclick = nextTheme;
  byId("help-button").onclick = () => byId("help").showModal();
  byId("back").onclick = goBack;
  byId("zoom-in").onclick = () => app.timeline.zoom(1.5);
  byId("zoom-out").onclick = () => app.timeline.zoom(1 / 1.5);
  byId("fit").onclick = () => app.timeline.fit();
  byId("next").onclick = () => nextMatch(1);
  byId("previous").onclick = () => nextMatch(-1);
  byId("search").addEventListener("input", search);
  byId("search").addEventListener("keydown", e => {
    if (e.key !== "Enter") return;
    nextMatch(e.shiftKey ? -1 : 1);
    e.preventDefault();
  });
  for (const id of ["method", "key", "process", "show"]) byId(id).addEventListener("change", applyFilter);
  byId("time").addEventListener("change", () => setTime(byId("time").value === "real"));
  byId("lanes").addEventListener("change", () => {
    app.timeline.packed = byId("lanes").value === "packed";
    app.timeline.arrange();
  });
  const names = ["why", "order", "ops"];
  names.forEach(name => {
    byId("tab-" + name).onclick = () => showTab(name);
    byId("tab-" + name).addEventListener("keydown", e => {
      const by = {ArrowRight: 1, ArrowLeft: -1}[e.key];
      if (!by) return;
      const all = names.filter(n => !byId("tab-" + n).hidden), to = all[(all.indexOf(name) + by + all.length) % all.length];
      showTab(to);
      byId("tab-" + to).focus();
      e.stopPropagation();
    });
  });
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", route);
  window.addEventListener("popstate", () => { if (!location.hash) route(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app.timeline && app.timeline.readColours());
  if (!globalThis.DecompressionStream || !CSS.supports("color", "light-dark(#fff, #000)")) {
    problem("This page needs a browser from 2024 or later.");
    return;
  }
  route();
}

start();
