package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// states writes the reason from the specification: what the operation returns in
// the states that the object can be in.
func (p *printer) states(e *replay.Explanation, op *history.Operation) {
	if len(e.States) == 0 || len(e.States) == 1 && e.States[0] == "" {
		return
	}
	where := "Just before that response"
	if op.Waits {
		where = "Then"
	}
	if e.CoreOps != nil {
		where += fmt.Sprintf(", restricted to %s,", e.About())
	}
	if e.StatesOfCore {
		where += ", if only the operations below had run,"
	}
	var q Passage
	switch n := len(e.States); {
	case e.MoreStates:
		q.Text = fmt.Sprintf("%s the object can be in more than %d states. Some of them are:", where, n)
	case n == 1:
		q.Text = fmt.Sprintf("%s the object can be in one state only:", where)
	default:
		q.Text = fmt.Sprintf("%s the object can be in one of %d states:", where, n)
	}
	method, recorded := elide(call(op), p.Width/4), e.CoreOp(p.h, e.Unexplained).Result
	for i, s := range e.States[:min(len(e.States), statesShown)] {
		item := Item{Text: elide(Clean(s), 3*p.Width), Op: replay.NoOperation}
		if i < len(e.Returns) {
			item.Then, item.Returns = p.returns(method, e.Returns[i])
			if d := replay.CommonDifference(recorded, e.Returns[i]); e.Lists {
				so := before(", so ", d.String())
				item.Then, item.Returns = item.Then+so, item.Returns+so
			}
		}
		q.Items = append(q.Items, item)
	}
	q.More = len(e.States) - len(q.Items)
	p.passage(q)
	if isNews(e) {
		p.passagef("", "If %s took effect earlier, it returned %s.", method, p.anyOf(e.Earlier))
	}
	text := before(": ", e.Difference.String())
	switch {
	case op.Waits:
		p.passagef("", "But it %s.", p.paint(red, "never returned"))
	case text == "" && e.CoreOps != nil && e.Returns != nil:
		p.passagef("", "But of these, it returned %s.", p.paint(red, p.result(recorded)))
	case text != "" || e.Returns != nil:
		p.passagef("", "But it returned %s%s.", p.paint(red, p.result(op.Result)), text)
	}
}

// returns says what an operation returns in a state, given its results there, and also without
// the method.
func (p *printer) returns(method string, results []history.Value) (then, short string) {
	switch {
	case len(results) > 0:
		short = p.anyOf(results)
		return method + " returns " + short, short
	case results != nil:
		then = " has to wait"
	default:
		then = " has taken effect earlier"
	}
	return method + then, "it" + then
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

// lacks says what the recorded result of f lacks or has, if it lists elements and does not
// fit in a line. Then the texts of both results may be the same.
func (p *printer) lacks(e *replay.Explanation, f replay.FreedResult) string {
	recorded := p.h.Ops[f.Op].Result
	if !e.Lists || f.Op != e.Unexplained || p.result(recorded) == Result(recorded) {
		return ""
	}
	d := replay.CommonDifference(recorded, f.Allowed)
	return before("; in what it returned, ", d.String())
}

// before returns a text after words, or "" if the text is "".
func before(words, text string) string {
	if text == "" {
		return ""
	}
	return words + text
}
