package report

import "github.com/leadline/leadline/replay"

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
