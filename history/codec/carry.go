package codec

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/leadline/leadline/history"
)

// A carrier writes histories in a format that cannot carry all histories. It decodes
// the text first, and refuses to write it if it is read as another history.
type carrier struct {
	format string
	decode func(text []byte) (*history.History, error)
	// method returns the name by which a method is read again; nil means the same.
	method func(string) string
	// processes is set if the format has processes. Otherwise every operation is
	// a process of its own.
	processes bool
}

// refusal returns the error for what a format cannot express.
func refusal(format, what string, args ...any) error {
	return fmt.Errorf("format %s cannot carry %s", format, fmt.Sprintf(what, args...))
}

// checkPlain refuses what only the native format can express.
func checkPlain(format string, h *history.History) error {
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Happened {
			return refusal(format, "the mark that pending operation %v happened", op.ID())
		}
	}
	switch {
	case len(h.Ops) == 0:
		return refusal(format, "a history in which nothing happened")
	case len(h.Edges) > 0:
		return refusal(format, "order edges")
	}
	return nil
}

// write writes text if it is read as h.
func (c *carrier) write(w io.Writer, h *history.History, text []byte) error {
	back, err := c.decode(text)
	if err != nil {
		return refusal(c.format, "this history: what was written is read as %v", err)
	}
	if difference := c.difference(h, back); difference != "" {
		return refusal(c.format, "%s", difference)
	}
	_, err = w.Write(text)
	return err
}

// only returns the history that a decoder yields, if it is the only one.
func only(decode decoder, text []byte) (*history.History, error) {
	var found *history.History
	noLimits := Limits{Line: -1, History: -1, Ratio: -1}
	for h, err := range decode(bytes.NewReader(text), "", noLimits) {
		switch {
		case err != nil:
			return nil, err
		case found != nil:
			return nil, fmt.Errorf("several histories")
		}
		found = h
	}
	if found == nil {
		return nil, fmt.Errorf("no history")
	}
	return found, nil
}

// difference describes how back, which was read, differs from h apart from names. It
// returns "" if they are the same.
func (c *carrier) difference(h, back *history.History) string {
	if modelText(h) != modelText(back) && !(h.Model == "register" && back.Model == "cas-register" && len(h.ModelArgs) == 0) {
		return fmt.Sprintf("the model %s (of this history it has %s)", modelText(h), modelText(back))
	}
	if len(h.Ops) != len(back.Ops) {
		return fmt.Sprintf("%d operations (%d are read again)", len(h.Ops), len(back.Ops))
	}
	ranks, again := eventRanks(h), eventRanks(back)
	for i := range h.Ops {
		op, o := &h.Ops[i], &back.Ops[i]
		method := op.Method
		if c.method != nil {
			method = c.method(method)
		}
		same := method == o.Method && slices.EqualFunc(op.Args, o.Args, history.Value.Equal) &&
			op.Pending() == o.Pending() && (op.Pending() || op.Result.Equal(o.Result)) &&
			ranks[2*i] == again[2*i] && ranks[2*i+1] == again[2*i+1]
		if p := h.Processes[op.Process]; c.processes && same && !p.Equal(back.Processes[o.Process]) {
			return fmt.Sprintf("the process %v, of kind %v", p, p.Kind())
		}
		if !same {
			return fmt.Sprintf("operation %v, %v (it would be read as %v)", op.ID(), op, o)
		}
	}
	return ""
}

func modelText(h *history.History) string {
	text := h.Model
	for i, a := range h.ModelArgs {
		text += ":,"[min(i, 1):min(i, 1)+1] + a.String()
	}
	if text == "" {
		return "none"
	}
	return text
}

// eventRanks returns, for each operation, the numbers of its invocation and of its
// response among all events; -1 for the response of a pending one.
func eventRanks(h *history.History) []int {
	ranks := make([]int, 2*len(h.Ops))
	for i := range ranks {
		ranks[i] = -1
	}
	for n, ev := range eventsOf(h) {
		end := 2 * ev.op
		if ev.ret {
			end++
		}
		ranks[end] = n
	}
	return ranks
}

// A plainEvent is an invocation or a response of operation number op; from
// len(Ops) on, op counts ghosts.
type plainEvent struct {
	position int32
	op       int32
	ret      bool
	at       int64 // stamp, if the format has stamps
}

// eventsOf lists the events of a history's operations in their order.
func eventsOf(h *history.History) []plainEvent { return eventsIn(h, len(h.Ops)) }

// eventsIn lists the events of the first n operations and ghosts.
func eventsIn(h *history.History, n int) []plainEvent {
	events := make([]plainEvent, 0, 2*n)
	for i := range int32(n) {
		op := h.Operation(i)
		events = append(events, plainEvent{position: op.Call, op: i})
		if op.Return != history.NoReturn {
			events = append(events, plainEvent{position: op.Return, op: i, ret: true})
		}
	}
	slices.SortFunc(events, func(x, y plainEvent) int { return int(x.position) - int(y.position) })
	return events
}

// A decoder is the Decode of a format.
type decoder = func(io.Reader, string, Limits) iter.Seq2[*history.History, error]
