package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// linearizable explains a linearizable history: what a witness is, and its depth.
func (p *printer) linearizable(v *replay.Verdict) {
	what := "Linearizable"
	if p.h.IsRelaxed() {
		what = "Sequentially consistent"
	}
	p.passagef("", "%s: an order of the operations respects %s and gives the recorded results.", p.paint(green, what), p.requirement())
	switch {
	case v.Depth > 0:
		p.depth(v)
	case v.Deeper > 0:
		p.passagef("", "Its depth is more than %d: no schedule index that delays fewer than %s gives such an order.", v.Deeper, operations(v.Deeper))
	}
}

// picture draws a witness.
func (p *printer) picture(spec replay.Spec, v *replay.Verdict) {
	p.printf("\n")
	if len(p.h.Ops) <= p.Rows {
		p.timeline(v, allOf(len(p.h.Ops)), "  ")
		p.printf("\n")
	}
	p.witness(spec, v)
}

func allOf(n int) []int32 {
	ops := make([]int32, n)
	for i := range ops {
		ops[i] = int32(i)
	}
	return ops
}

// Witness writes the witness of a linearizable history: its operations in order, with
// the state after each. A long witness is shortened to its first operations, its last
// ones, and those around operations that are delayed; see Options.Rows. It takes one
// pass over the witness.
func Witness(w io.Writer, h *history.History, spec replay.Spec, v *replay.Verdict, o Options) error {
	if err := checkInput(w, h, v); err != nil {
		return err
	}
	p := newPrinter(w, h, o)
	if v.Depth > 0 {
		p.printf("    schedule index <%d, (%s)>\n", v.Index.Chain, elide(p.names(v.Index.Tuple), p.Width-4))
	}
	p.witness(spec, v)
	return p.Flush()
}

// near is how many operations are shown before and after a delayed one.
const near = 2

// shownSteps returns the steps of the witness to show, sorted.
func (p *printer) shownSteps(v *replay.Verdict) (steps []int) {
	n, ends := len(v.Witness), max(p.Rows/4, 1)
	shown := map[int]bool{}
	add := func(from, to int) {
		for k := max(from, 0); k < min(to, n); k++ {
			shown[k] = true
		}
	}
	if n <= p.Rows {
		add(0, n)
	} else {
		add(0, ends)
		add(n-ends, n)
		for k, i := range v.Witness {
			if len(shown) < p.Rows && slices.Contains(v.Index.Tuple, i) {
				add(k-near, k+near+1)
			}
		}
	}
	for k := range n { // a gap of one step would not be shorter than the step itself
		if shown[k] || shown[k-1] && shown[k+1] {
			steps = append(steps, k)
		}
	}
	return steps
}

// witness writes the steps of a witness, with states if the object has any.
func (p *printer) witness(spec replay.Spec, v *replay.Verdict) {
	if len(v.Witness) == 0 {
		return
	}
	steps := p.shownSteps(v)
	marks := marksOf(v)
	widths := [4]int{}
	for _, k := range steps {
		widen(&widths, p.step(v, k))
	}
	walk := replay.NewWalk(spec)
	initially := Clean(walk.State())
	texts, states := make([][4]string, 0, len(steps)), make([]string, 0, len(steps))
	stateWidth := columns(initially)
	for k, i := range v.Witness {
		results, ok := walk.Step(p.inWhole(v, i))
		if len(texts) == len(steps) || k != steps[len(texts)] {
			continue
		}
		state := Clean(walk.State())
		if ok && len(results) == 0 {
			state = "has not taken effect"
		}
		texts, states = append(texts, p.step(v, k)), append(states, state)
		stateWidth = max(stateWidth, columns(state))
	}
	room := p.Width - 4 - widths[0] - 2 - widths[1] - 2 - widths[2] - 2
	stateWidth = min(stateWidth, max(room/2, room-widths[3]-2))
	opWidth := min(widths[3], room)
	if initially != "" {
		opWidth = max(min(widths[3], room-stateWidth-2), len("(initially)"))
		p.printf("%s\n", p.paint(dim, fmt.Sprintf("%*s%-*s  %s", p.Width-room, "", opWidth, "(initially)", elide(initially, stateWidth))))
	}
	next := 0
	for j, cells := range texts {
		if gap := steps[j] - next; gap > 0 {
			p.printf("    ... %s ...\n", operations(gap))
		}
		next = steps[j] + 1
		mark, state := marks[v.Witness[steps[j]]], states[j]
		head := fmt.Sprintf("%-2s  %s  %s  %s  ", mark, padLeft(cells[0], widths[0]), padLeft(cells[1], widths[1]), pad(cells[2], widths[2]))
		color := plain
		if mark != "" {
			color = yellow
		}
		for _, line := range wrap(elide(cells[3], 4*opWidth), opWidth) {
			line = head + pad(line, opWidth) + "  " + elide(state, stateWidth)
			p.printf("%s\n", p.paint(color, strings.TrimRight(line, " ")))
			head, state = strings.Repeat(" ", columns(head)), ""
		}
	}
	p.unseen(v)
}

// inWhole returns an operation, without its result if it does not see all earlier ones.
func (p *printer) inWhole(v *replay.Verdict, i int32) *history.Operation {
	op := &p.h.Ops[i]
	if v.Unseen == nil || len(v.Unseen[i]) == 0 {
		return op
	}
	free := *op
	free.Result = history.UnknownValue
	return &free
}

// unseen writes what operations do not see.
func (p *printer) unseen(v *replay.Verdict) {
	for i, missed := range v.Unseen {
		if len(missed) > 0 {
			p.item("    ", "  ", p.short(int32(i))+" does not see "+p.names(missed))
		}
	}
}

// step returns the number, identifier, process and text of a step.
func (p *printer) step(v *replay.Verdict, k int) [4]string {
	op := &p.h.Ops[v.Witness[k]]
	return [4]string{"#" + thousands(k+1), elide(Name(op.ID()), p.nameWidth()), "process " + elide(Name(p.h.Processes[op.Process]), p.nameWidth()), Clean(op.String())}
}
