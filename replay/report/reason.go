package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A Passage is a piece of an explanation. Explain writes passages as text, and pages show
// the same ones.
type Passage struct {
	Title string `json:"title,omitempty"` // heading of this passage and the next ones without a title; texts have an empty line instead
	Text  string `json:"text,omitempty"`
	Items []Item `json:"items,omitempty"`
	More  int    `json:"more,omitempty"` // number of items that are left out
	// Core says that the items are operations that are not linearizable by themselves.
	Core bool `json:"core,omitempty"`

	draw func() // draws a picture, which a text has in place of the items
}

// An Item is a line of a Passage.
type Item struct {
	Lead string `json:"lead,omitempty"` // "or" or "and", which joins it to the item before
	Text string `json:"text"`
	Then string `json:"then,omitempty"` // what follows from Text
	// Returns is Then for a table below "it would return", if Text is a state.
	Returns string `json:"returns,omitempty"`
	Op      int32  `json:"op"` // the operation that Text is about, or replay.NoOperation
}

// pageWidth is the width to which a page cuts operations and values.
const pageWidth = 240

// Reason returns the passages of Explain.
func Reason(h *history.History, v *replay.Verdict) (all []Passage) {
	var err error
	p := newPrinter(io.Discard, h, Options{Width: pageWidth, Rows: math.MaxInt})
	p.collect = func(q Passage) {
		if q.draw == nil || q.Items != nil { // otherwise the passage is only a picture
			all = append(all, q)
		}
	}
	defer p.rescue(&err)
	p.reason(v)
	return all
}

// reason explains a verdict.
func (p *printer) reason(v *replay.Verdict) {
	switch v.Answer {
	case replay.NotLinearizable:
		p.refuted(v)
	case replay.Linearizable:
		p.linearizable(v)
	default:
		p.undecided(v)
	}
}

// passage writes a passage, or collects it.
func (p *printer) passage(q Passage) {
	if p.collect != nil {
		p.collect(q)
		return
	}
	if q.Title != "" {
		p.printf("\n")
	}
	if q.Text != "" {
		p.say("%s", q.Text)
	}
	if q.draw != nil {
		q.draw()
		return
	}
	width := 0
	for _, i := range q.Items {
		width = max(width, columns(i.Text))
	}
	for _, i := range q.Items {
		head := fmt.Sprintf("%3s ", i.Lead)
		switch {
		case i.Then == "":
			p.item(head, "  ", i.Text)
		case width > p.Width*2/5:
			p.item(head, "  ", i.Text)
			p.item("      ", "  ", "there, "+i.Then)
		default:
			p.item(head+pad(i.Text, width)+"   ", "  ", i.Then)
		}
	}
	if q.More > 0 {
		p.printf("    and %s more\n", thousands(q.More))
	}
}

// passagef adds a passage without items.
func (p *printer) passagef(title, format string, args ...any) {
	p.passage(Passage{Title: title, Text: fmt.Sprintf(format, args...)})
}

// refuted explains a history that is not linearizable.
func (p *printer) refuted(v *replay.Verdict) {
	p.passagef("", "%s: no order of the operations that respects %s gives the recorded results.", p.paint(red, "Not "+p.property()), p.requirement())
	e := explanationOf(v)
	if v.Explanation == nil {
		p.passagef("", "The reason was not computed.")
	}
	if v.Versions != "" && len(v.Conflict) == 1 {
		p.passagef("What was found", "Nothing explains that %s.", Clean(v.Versions))
	} else if v.Versions != "" {
		p.passagef("What the versions say", "Versions only grow: %s.", Clean(v.Versions))
	} else if e.Unexplained != replay.NoOperation {
		p.unexplained(e)
	} else if reasons := p.constraints(e); len(reasons) > 0 {
		text := "Real time"
		if p.h.IsRelaxed() {
			text = "The order within each process"
		}
		q := Passage{Title: "What rules out every order", Text: text + " alone can be explained, but not together with these facts of the file:"}
		for _, text := range reasons {
			q.Items = append(q.Items, Item{Text: text, Op: replay.NoOperation})
		}
		p.passage(q)
	}
	p.waits()
	p.core(v, e)
	if v.Explanation != nil {
		p.changes(e)
	}
	if e.Initial != "" {
		p.passagef("Another initial value", "%s", p.initially(e))
	}
	p.missing(e)
}

// unexplained writes where the history begins to fail, and why.
func (p *printer) unexplained(e *replay.Explanation) {
	op := &p.h.Ops[e.Unexplained]
	q := Passage{Title: "The first response that no order explains", Text: "No order explains the response of",
		Items: []Item{{Text: p.paint(red, p.at(e.Unexplained)), Op: e.Unexplained}}}
	if e.Prefix > 0 {
		q.Text = fmt.Sprintf("Up to event %s of %s, some order explains all results. None explains event %s, the response of",
			thousands(e.Prefix-1), thousands(events(p.h)), thousands(e.Prefix))
	}
	if op.Waits {
		q.Title, q.Text = "The first call that no order explains", "No order explains that this call never returned:"
		if e.Prefix > 0 {
			q.Text = "Some order explains what was recorded before. None explains that this call never returned:"
		}
	}
	p.passage(q)
	if !p.h.IsRelaxed() {
		p.concurrent(op)
	}
	p.states(e, op)
	if e.Impossible != "" {
		p.passagef("", "In no state is that possible: %s.", Clean(e.Impossible))
	}
}

// waits lists the calls that wait for ever.
func (p *printer) waits() {
	if len(p.h.Waits) == 0 {
		return
	}
	q := Passage{Text: "Calls that wait for ever:"}
	for _, w := range p.h.Waits[:min(len(p.h.Waits), waitsShown)] {
		q.Items = append(q.Items, Item{Text: p.waitOf(&w), Op: w.Op})
	}
	q.More = len(p.h.Waits) - len(q.Items)
	p.passage(q)
}

// waitOf says where and for what a call waits.
func (p *printer) waitOf(w *history.Wait) string {
	text := p.place(w.Op, call(&p.h.Ops[w.Op]))
	if w.For == "" {
		return text + " never returned"
	}
	return text + " " + Clean(w.For)
}

// concurrent lists the operations that overlap op before its response.
func (p *printer) concurrent(op *history.Operation) {
	var items []Item
	n := 0
	for i := range p.h.Ops {
		other := &p.h.Ops[i]
		if other.Call > op.Return {
			break
		}
		if !overlaps(op, other) {
			continue
		}
		if n++; n <= overlapShown {
			text := p.short(int32(i))
			if other.Return > op.Return && !other.Pending() && !other.Waits {
				text = p.named(int32(i), call(other)) + ", still open then"
			}
			items = append(items, Item{Text: text, Op: int32(i)})
		}
	}
	if n == 0 {
		p.passagef("", "It overlaps no other operation.")
		return
	}
	p.passage(Passage{Text: fmt.Sprintf("It overlaps %s:", operations(n)), Items: items, More: n - len(items)})
}

// result returns the text of a result, cut to part of a line.
func (p *printer) result(v history.Value) string {
	return p.values([]history.Value{v})[0]
}

// core shows the operations that are not linearizable by themselves.
func (p *printer) core(v *replay.Verdict, e *replay.Explanation) {
	ops, all := e.Core, len(p.h.Ops)
	if len(ops) == 0 || len(ops) > p.Rows && 0 < len(v.Conflict) && len(v.Conflict) < len(ops) {
		ops = v.Conflict // fits in the drawing
	}
	q := Passage{Title: "Operations that are not " + p.property() + " by themselves", Core: true}
	only := ""
	if e.CoreOps != nil {
		only = ", restricted to " + e.About() + ","
	}
	switch n := len(ops); {
	case n == 0 || n == all:
		q.Text = "Its operations:"
		q.draw = func() { p.drawRelevant(v, all, "  ") }
		p.passage(q)
		return
	case n == 1:
		q.Text = fmt.Sprintf("This one of its %s%s is not %s by itself:", operations(all), only, p.property())
	default:
		q.Text = fmt.Sprintf("These %s of its %s%s are not %s by themselves:", thousands(n), operations(all), only, p.property())
	}
	for _, i := range ops[:min(len(ops), coreShown)] {
		q.Items = append(q.Items, Item{Text: p.short(i), Op: i})
	}
	q.More = len(ops) - len(q.Items)
	q.draw = func() {
		if len(ops) > p.Rows {
			p.drawRelevant(v, len(ops), "  ")
		} else {
			p.timeline(v, ops, "  ")
		}
	}
	p.passage(q)
}

// changes lists other results that would make the history linearizable.
func (p *printer) changes(e *replay.Explanation) {
	const title = "Other results"
	isMissing := slices.ContainsFunc(e.Missing, func(m replay.MissingPart) bool { return m.Part == "blame" })
	if len(e.Free) == 0 {
		if !isMissing {
			p.passagef(title, "No change of up to three results would make it %s.", p.property())
		}
		return
	}
	q := Passage{Title: title, Text: fmt.Sprintf("It would be %s with other results:", p.property())}
	if isMissing {
		q.Text = fmt.Sprintf("It would be %s with other results. There may be more changes like these:", p.property())
	}
	for k, group := range e.Free[:min(len(e.Free), freeListed)] {
		for i, f := range group {
			op := &p.h.Ops[f.Op]
			item := Item{Op: f.Op, Text: fmt.Sprintf("if %s had returned %s", p.place(f.Op, call(op)), p.allowed(f))}
			if !op.Waits {
				item.Text += " instead of " + p.result(op.Result)
			}
			item.Text += p.lacks(e, f)
			switch {
			case i > 0:
				item.Lead = "and"
			case k > 0:
				item.Lead = "or"
			}
			q.Items = append(q.Items, item)
		}
	}
	q.More = len(e.Free) - min(len(e.Free), freeListed)
	p.passage(q)
}

// allowed lists the allowed results of an operation.
func (p *printer) allowed(f replay.FreedResult) string {
	if len(f.Allowed) == 0 {
		return "something else"
	}
	return list(p.values(f.Allowed), "or")
}

// initially says which initial value explains the first reads.
func (p *printer) initially(e *replay.Explanation) string {
	if e.InitialNext != replay.NoOperation {
		return fmt.Sprintf("If the object held another value at first (--model %s), the first response that no order explains would be that of %s",
			ShellWord(e.Initial), p.at(e.InitialNext))
	}
	return fmt.Sprintf("It would be %s if the object held another value at first: --model %s", p.property(), ShellWord(e.Initial))
}

// missing lists what was not computed.
func (p *printer) missing(e *replay.Explanation) {
	title := "What is missing"
	for _, m := range e.Missing {
		p.passagef(title, "%s", missingText(e, m))
		title = ""
	}
}

// partNames are the parts of an Explanation in words.
var partNames = map[string]string{
	"prefix":  "the shortest prefix that fails",
	"states":  "the states before the response",
	"core":    "the minimal sub-history",
	"blame":   "other results that would do",
	"initial": "another initial value that would do",

	"difference": "what is missing or extra in the result",
}

// causeTexts explain causes and say what may help.
var causeTexts = map[string]string{
	"time":   "the time is used up (a longer --timeout may help)",
	"memory": "the memory is used up (a larger --memory may help)",
	"work":   "it takes too much work (a long --timeout allows more)",
}

// missingText describes a part that was not computed, or not in full.
func missingText(e *replay.Explanation, m replay.MissingPart) string {
	part, cause := partNames[m.Part], causeTexts[m.Cause]
	if part == "" {
		part = m.Part
	}
	if cause == "" {
		cause = m.Cause
	}
	what := "Not computed"
	switch {
	case m.Part == "blame" && len(e.Free) > 0, m.Part == "core" && len(e.Core) > 0, m.Part == "states" && len(e.States) > 0:
		what = "Not complete"
	}
	return fmt.Sprintf("%s: %s: %s", what, part, cause)
}

// constraints lists the marks and edges that together rule out every order.
func (p *printer) constraints(e *replay.Explanation) []string {
	var texts []string
	for _, i := range e.Marks {
		texts = append(texts, p.atLine(i)+" happened")
	}
	for _, edge := range e.Edges {
		texts = append(texts, p.atLine(edge.From)+" comes before "+p.atLine(edge.To))
	}
	return texts
}

// atLine is like at, without the process.
func (p *printer) atLine(i int32) string {
	op, did := p.h.Operation(i), ""
	if int(i) >= len(p.h.Ops) {
		did = ", which did not happen"
	}
	return fmt.Sprintf("%s (line %d%s)", p.short(i), op.Line, did)
}

// undecided writes why a verdict is unknown, and what to try.
func (p *printer) undecided(v *replay.Verdict) {
	p.passagef("", "%s: neither a witness was found nor a proof that there is none.", p.paint(yellow, "Unknown"))
	text, known := undecidedTexts[v.Cause]
	switch {
	case !known:
		text = "The cause is not known."
	case v.Cause == replay.Depth:
		text = fmt.Sprintf(text, max(v.Deeper, 1))
	case v.Cause == replay.Declined && v.Reason != "":
		text = strings.Replace(text, ".", " ("+string(v.Reason)+").", 1)
	}
	p.passagef("", "%s", text)
	if known && v.Cause != replay.Cancelled && v.Cause != replay.Declined {
		p.passagef("", "Insert or write distinct values: it is then known which operation took or read what. Shorter histories, fewer open operations and fewer lost responses help as well.")
	}
}

var undecidedTexts = map[replay.Cause]string{
	replay.Depth:     "No schedule of depth %d or less gives the recorded results, and no engine could go on. Try a larger --max-depth.",
	replay.Schedules: "The number of schedules is used up.",
	replay.Time:      "The time is used up. Try a longer --timeout.",
	replay.Memory:    "The memory is used up. Try a larger --memory, or fewer --jobs.",
	replay.Cancelled: "The check was interrupted.",
	replay.Declined:  "The engine that was asked for does not decide such histories.",
}

// depth explains the depth of a witness: the operations of its schedule index, and
// the operations past which each of them is delayed.
func (p *printer) depth(v *replay.Verdict) {
	tuple, chain := v.Index.Tuple, v.Index.Chain
	if len(tuple) == 0 {
		p.passagef("", "Its depth is 1: the operations of chain %d take effect as late as they can, all others as soon as they can.", chain)
		return
	}
	more := ":"
	if len(tuple) > 1 {
		more = fmt.Sprintf(". No schedule index that delays fewer than %s gives such an order. In the order in which they take effect:", operations(len(tuple)))
	}
	q := Passage{Text: fmt.Sprintf("Its depth is %d: the operations of chain %d take effect as late as they can, and %s delayed further%s",
		v.Depth, chain, count(len(tuple), "operation is", "operations are"), more)}
	place := make(map[int32]int, len(v.Witness))
	for k, i := range v.Witness {
		place[i] = k
	}
	for k, x := range tuple {
		if k == delaysShown && len(tuple) > delaysShown+1 {
			q.More = len(tuple) - k
			break
		}
		q.Items = append(q.Items, Item{Text: p.delay(x, place), Op: x})
	}
	p.passage(q)
}
