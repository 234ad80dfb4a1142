package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Bounds on what a report lists.
const (
	freeShown    = 3  // ways to make a history linearizable, in Short
	freeListed   = 10 // in Explain
	overlapShown = 8
	statesShown  = 8
	conflictMax  = 8
	delaysShown  = 8
	resultsShown = 6
)

// Explain writes the verdict of h and the reason for it in plain sentences, with
// a timeline of the operations that matter. For a linearizable history the reason
// is its witness.
func Explain(w io.Writer, h *history.History, spec replay.Spec, v *replay.Verdict, o Options) (err error) {
	p := newPrinter(w, h, o)
	defer p.rescue(&err)
	p.title(spec)
	switch v.Answer {
	case replay.NotLinearizable:
		p.refuted(spec, v)
	case replay.Linearizable:
		p.linearizable(spec, v)
	default:
		p.undecided(v)
	}
	return p.Flush()
}

// title writes the name of the history, if it has one, its size and its model. The name
// is one line, whatever the width.
func (p *printer) title(spec replay.Spec) {
	what := Clean(p.h.File)
	if p.h.ID != "" {
		what += "#" + Clean(p.h.ID)
	}
	if what == "" {
		return
	}
	model := ""
	if spec != nil {
		model = ", " + Clean(spec.Name())
		if s, ok := spec.(fmt.Stringer); ok && len(s.String()) < DefaultWidth {
			model = ", " + Clean(s.String())
		}
	}
	text := fmt.Sprintf("%s, %s", operations(len(p.h.Ops)), count(len(p.h.Processes), "process", "processes"))
	if n := p.h.Pending(); n > 0 {
		text += fmt.Sprintf(", %s pending", thousands(n))
	}
	if what += ":"; utf8.RuneCountInString(what) > p.Width { // unbroken, to be copied
		p.printf("%s\n", p.paint(bold, what))
	} else {
		text = what + " " + text
	}
	p.say("%s", p.paint(bold, text+model))
}

// requirement names what an order of the operations has to respect.
func (p *printer) requirement() string {
	switch {
	case p.h.IsRelaxed() && slices.ContainsFunc(p.h.Edges, func(e history.Edge) bool { return !p.h.IsProgramEdge(e) }):
		return "the order within each process and the orders in the file"
	case p.h.IsRelaxed():
		return "the order within each process"
	case p.h.HasEdges():
		return "real time and the orders in the file"
	}
	return "real time"
}

const linearizable = "linearizable"

// property names the property of a history that has such an order.
func (p *printer) property() string {
	if p.h.IsRelaxed() {
		return "sequentially consistent"
	}
	return linearizable
}

// refuted explains a history that is not linearizable.
func (p *printer) refuted(spec replay.Spec, v *replay.Verdict) {
	p.say("%s: no order of the operations that respects %s gives the recorded results.", p.paint(red, "Not "+p.property()), p.requirement())
	e := explanationOf(v)
	if v.Explanation == nil {
		p.say("The reason was not computed.")
	}
	if e.Unexplained != replay.NoOperation {
		p.unexplained(spec, e)
	} else if len(e.Marks)+len(e.Edges) > 0 {
		p.printf("\n")
		text := "Real time"
		if p.h.IsRelaxed() {
			text = "The order within each process"
		}
		p.say("%s alone can be explained, but not together with these facts of the file:", text)
		p.reasons(e)
	}
	p.core(v, e)
	if v.Explanation != nil {
		p.changes(e)
	}
	p.missing(e)
}

// unexplained writes where the history begins to fail, and why.
func (p *printer) unexplained(spec replay.Spec, e *replay.Explanation) {
	p.printf("\n")
	op := &p.h.Ops[e.Unexplained]
	if e.Prefix > 0 {
		p.say("Up to event %s of %s, some order explains all results. None explains event %s, the response of",
			thousands(e.Prefix-1), thousands(events(p.h)), thousands(e.Prefix))
	} else {
		p.say("No order explains the response of")
	}
	p.item("    ", "  ", p.paint(red, p.at(e.Unexplained)))
	if !p.h.IsRelaxed() {
		p.concurrent(op)
	}
	p.states(e, op)
	if e.Impossible != "" {
		p.say("In no state is that possible: %s.", Clean(e.Impossible))
	}
}

// concurrent lists the operations that overlap op before its response.
func (p *printer) concurrent(op *history.Operation) {
	var lines []string
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
			if other.Return > op.Return && !other.Pending() {
				text = p.named(int32(i), call(other)) + ", still open then"
			}
			lines = append(lines, text)
		}
	}
	if n == 0 {
		p.say("It overlaps no other operation.")
		return
	}
	p.say("It overlaps %s:", operations(n))
	for _, line := range lines {
		p.printf("    %s\n", line)
	}
	if n > overlapShown {
		p.printf("    and %s more\n", thousands(n-overlapShown))
	}
}

// states writes the reason from the specification: what the operation returns in
// the states that the object can be in.
func (p *printer) states(e *replay.Explanation, op *history.Operation) {
	if len(e.States) == 0 || len(e.States) == 1 && e.States[0] == "" {
		return
	}
	where := ""
	if e.StatesOfCore {
		where = ", if only the operations below had run,"
	}
	switch n := len(e.States); {
	case e.MoreStates:
		p.say("Just before that response%s the object can be in more than %d states. Some of them are:", where, n)
	case n == 1:
		p.say("Just before that response%s the object can be in one state only:", where)
	default:
		p.say("Just before that response%s the object can be in one of %d states:", where, n)
	}
	width := 0
	shown := e.States[:min(len(e.States), statesShown)]
	for _, s := range shown {
		width = max(width, utf8.RuneCountInString(Clean(s)))
	}
	method := elide(call(op), p.Width/4)
	for i, s := range shown {
		s = elide(Clean(s), 3*p.Width)
		text := ""
		if i < len(e.Returns) {
			text = p.returns(method, e.Returns[i])
		}
		switch {
		case text == "":
			p.item("    ", "  ", s)
		case width > p.Width*2/5:
			p.item("    ", "  ", s)
			p.item("      ", "  ", "there, "+text)
		default:
			p.item("    "+pad(s, width)+"   ", "  ", text)
		}
	}
	if more := len(e.States) - len(shown); more > 0 {
		p.printf("    and %d more\n", more)
	}
	if isNews(e) {
		p.say("If %s took effect earlier, it returned %s.", method, p.anyOf(e.Earlier))
	}
	if e.Returns != nil {
		p.say("But it returned %s.", p.paint(red, p.result(op.Result)))
	}
}

// returns says what an operation returns in a state, given its results there.
func (p *printer) returns(method string, results []history.Value) string {
	switch {
	case len(results) > 0:
		return method + " returns " + p.anyOf(results)
	case results != nil:
		return method + " has to wait"
	}
	return method + " has taken effect earlier"
}

// anyOf lists alternative results. If there are many, it lists the first ones.
func (p *printer) anyOf(results []history.Value) string {
	if more := len(results) - resultsShown; more > 1 {
		return strings.Join(p.values(results[:resultsShown]), ", ") + " or one of " + count(more, "other", "others")
	}
	return list(p.values(results), "or")
}

// isNews reports whether e.Earlier is worth mentioning: the operation took effect
// earlier in some state, or an earlier result differs from all results now.
func isNews(e *replay.Explanation) bool {
	now := slices.Concat(e.Returns...)
	return len(e.Earlier) > 0 && (slices.ContainsFunc(e.Returns, func(returns []history.Value) bool { return returns == nil }) ||
		slices.ContainsFunc(e.Earlier, func(v history.Value) bool { return !slices.ContainsFunc(now, v.Equal) }))
}

// result returns the text of a result, cut to part of a line.
func (p *printer) result(v history.Value) string {
	return p.values([]history.Value{v})[0]
}

// core draws the operations that are not linearizable by themselves.
func (p *printer) core(v *replay.Verdict, e *replay.Explanation) {
	ops := e.Core
	if len(ops) == 0 || len(ops) > p.Rows && 0 < len(v.Conflict) && len(v.Conflict) < len(ops) {
		ops = v.Conflict // fits in the drawing
	}
	p.printf("\n")
	all := len(p.h.Ops)
	switch n := len(ops); {
	case n == 0 || n == all:
		p.say("Its operations:")
		p.drawRelevant(v, all, "  ")
		return
	case n == 1:
		p.say("This one of its %s is not %s by itself:", operations(all), p.property())
	default:
		p.say("These %s of its %s are not %s by themselves:", thousands(n), operations(all), p.property())
	}
	if len(ops) > p.Rows {
		p.drawRelevant(v, len(ops), "  ")
	} else {
		p.timeline(v, ops, "  ")
	}
}

// changes lists other results that would make the history linearizable.
func (p *printer) changes(e *replay.Explanation) {
	isMissing := slices.ContainsFunc(e.Missing, func(m replay.MissingPart) bool { return m.Part == "blame" })
	if len(e.Free) == 0 && isMissing {
		return
	}
	p.printf("\n")
	if len(e.Free) == 0 {
		p.say("No change of up to three results would make it %s.", p.property())
		return
	}
	if isMissing {
		p.say("It would be %s with other results. There may be more changes like these:", p.property())
	} else {
		p.say("It would be %s with other results:", p.property())
	}
	for k, group := range e.Free {
		if k == freeListed {
			p.printf("    and %d more such changes\n", len(e.Free)-k)
			break
		}
		head := "    "
		if k > 0 {
			head = " or "
		}
		for i, f := range group {
			if i > 0 {
				head = "and "
			}
			op := &p.h.Ops[f.Op]
			p.item(head, "  ", fmt.Sprintf("if %s had returned %s instead of %s", p.place(f.Op, call(op)), list(p.values(f.Allowed), "or"), p.result(op.Result)))
		}
	}
}

// missing lists what was not computed.
func (p *printer) missing(e *replay.Explanation) {
	if len(e.Missing) == 0 {
		return
	}
	p.printf("\n")
	for _, m := range e.Missing {
		p.say("%s", missingText(e, m))
	}
}

// partNames are the parts of an Explanation in words.
var partNames = map[string]string{
	"prefix": "the shortest prefix that fails",
	"states": "the states before the response",
	"core":   "the minimal sub-history",
	"blame":  "other results that would do",
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

// reasons lists the marks and edges that together rule out every order.
func (p *printer) reasons(e *replay.Explanation) {
	for _, text := range p.constraints(e) {
		p.item("    ", "  ", text)
	}
}

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
	p.say("%s: neither a witness was found nor a proof that there is none.", p.paint(yellow, "Unknown"))
	text := ""
	switch v.Cause {
	case replay.Depth:
		text = "No schedule of depth %d or less gives the recorded results, and no engine could go on. Try a larger --max-depth, or another --engine."
		text = fmt.Sprintf(text, max(v.Deeper, 1))
	case replay.Schedules:
		text = "The number of schedules is used up. Try a larger --max-schedules."
	case replay.Time:
		text = "The time is used up. Try a longer --timeout."
	case replay.Memory:
		text = "The memory is used up. Try a larger --memory, or fewer --jobs."
	case replay.Cancelled:
		text = "The check was interrupted."
	case replay.Declined:
		text = "The engine that was asked for does not decide such histories"
		if v.Reason != "" {
			text += " (" + v.Reason + ")"
		}
		text += ". Leave out --engine."
	default:
		text = "The cause is not known."
	}
	p.say("%s", text)
	if v.Cause == replay.Time || v.Cause == replay.Memory || v.Cause == replay.Schedules || v.Cause == replay.Depth {
		p.say("Shorter histories, fewer pending operations and values that do not repeat make the check easier.")
	}
}

// Short writes what check prints below the line of a history that is not
// linearizable: the response that no order explains, results that would make the
// history linearizable, the sizes of its parts, and what was not computed. It
// writes nothing about other histories.
func Short(w io.Writer, h *history.History, v *replay.Verdict, o Options) (err error) {
	p := newPrinter(w, h, o)
	defer p.rescue(&err)
	if v.Answer != replay.NotLinearizable {
		return nil
	}
	e := v.Explanation
	if e != nil {
		p.shortReason(e)
	}
	if (e == nil || len(e.Free) == 0) && (len(v.Conflict) > 1 || v.Conflict != nil && e == nil) {
		p.conflict(v.Conflict)
	}
	if e != nil {
		p.sizes(e)
		for _, m := range e.Missing {
			text := missingText(e, m)
			p.printf("    %s\n", strings.ToLower(text[:1])+text[1:])
		}
	}
	if p.Hint != "" {
		p.printf("    more: %s\n", p.Hint)
	}
	return p.Flush()
}

func (p *printer) shortReason(e *replay.Explanation) {
	if e.Unexplained != replay.NoOperation {
		p.printf("    no order explains the response of %s\n", p.at(e.Unexplained))
		if e.Impossible != "" {
			p.printf("    %s\n", Clean(e.Impossible))
		}
	} else if reasons := p.constraints(e); len(reasons) > 0 {
		text := "real time"
		if p.h.IsRelaxed() {
			text = "the order within each process"
		}
		p.printf("    %s can be explained, but not if %s\n", text, strings.Join(reasons, " and "))
	}
	for k, group := range e.Free {
		if k == freeShown {
			p.printf("    and %d more such changes of results\n", len(e.Free)-k)
			break
		}
		var changes []string
		for _, f := range group {
			changes = append(changes, p.at(f.Op)+" had returned "+strings.Join(p.values(f.Allowed), " or "))
		}
		p.printf("    %s if %s\n", p.property(), strings.Join(changes, " and "))
	}
}

// sizes writes the sizes of the shortest prefix and of the sub-history that fail.
func (p *printer) sizes(e *replay.Explanation) {
	var parts []string
	if total := events(p.h); e.Prefix > 0 && e.Prefix < total {
		parts = append(parts, fmt.Sprintf("the first %s of %s", thousands(e.Prefix), count(total, "event", "events")))
	}
	if len(e.Core) > 0 && len(e.Core) < len(p.h.Ops) {
		parts = append(parts, fmt.Sprintf("%s of %s", thousands(len(e.Core)), operations(len(p.h.Ops))))
	}
	if len(parts) > 0 {
		p.printf("    not %s by themselves: %s\n", p.property(), strings.Join(parts, "; "))
	}
}

// conflict lists operations that have no witness by themselves.
func (p *printer) conflict(ops []int32) {
	for k, i := range ops {
		what := "together with"
		switch k {
		case conflictMax:
			p.printf("    and %d more\n", len(ops)-k)
			return
		case 0:
			what = "no order explains"
		}
		p.printf("    %s %s\n", what, p.at(i))
	}
}

// depth explains the depth of a witness: the operations of its schedule index,
// with those that overtake them.
func (p *printer) depth(v *replay.Verdict) {
	tuple, chain := v.Index.Tuple, v.Index.Chain
	if len(tuple) == 0 {
		p.say("Its depth is 1: the operations of chain %d take effect as late as they can, all others as soon as they can.", chain)
		return
	}
	more := ":"
	if len(tuple) > 1 {
		more = fmt.Sprintf(". No schedule index that delays fewer than %s gives such an order. In the order in which they take effect:", operations(len(tuple)))
	}
	p.say("Its depth is %d: the operations of chain %d take effect as late as they can, and %s delayed further%s",
		v.Depth, chain, count(len(tuple), "operation is", "operations are"), more)
	place := make(map[int32]int, len(v.Witness))
	for k, i := range v.Witness {
		place[i] = k
	}
	for k, x := range tuple {
		if k == delaysShown && len(tuple) > delaysShown+1 {
			p.printf("    and %s more\n", thousands(len(tuple)-k))
			break
		}
		p.item("    ", "  ", p.delay(x, place))
	}
}

func (p *printer) names(ops []int32) string {
	names := make([]string, len(ops))
	for k, i := range ops {
		names[k] = name(p.h.Ops[i].ID())
	}
	return strings.Join(names, ", ")
}

func (p *printer) delay(x int32, place map[int32]int) string {
	op := &p.h.Ops[x]
	var past []int32
	for i := range p.h.Ops {
		if overlaps(op, &p.h.Ops[i]) && place[int32(i)] < place[x] {
			past = append(past, int32(i))
		}
	}
	slices.SortFunc(past, func(a, b int32) int { return place[b] - place[a] }) // the nearest first
	text := p.at(x)
	switch n := len(past); {
	case n == 0:
		return text + " comes as late as the operations after it allow"
	case n == 1:
		return text + " is delayed past " + p.short(past[0])
	default:
		return fmt.Sprintf("%s is delayed past %s and %s that it overlaps", text, p.short(past[0]), count(n-1, "other", "others"))
	}
}
