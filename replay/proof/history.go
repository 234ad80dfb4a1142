package proof

import (
	"bytes"
	"errors"
	"fmt"
	"math"
)

// An operation is an operation of a history. Its instants are the numbers of its events, from 1.
type operation struct {
	Number int     `json:"operation"` // of its invocation among those of the history, from 0
	Call   int     `json:"call"`
	Return int     `json:"return,omitempty"` // 0: it did not return
	Method string  `json:"method"`
	name   string  // name of the method in its model
	isDue  bool    // an edge leads from it, so it took effect if the other operation did
	Args   []value `json:"args,omitempty"`
	Result value   `json:"result,omitempty"`
	// Unknown: it returned, but what is not known. Threw: it threw an exception.
	Unknown bool `json:"unknown,omitempty"`
	Threw   bool `json:"threw,omitempty"`
	// Happened: it took effect, although it did not return.
	Happened bool `json:"happened,omitempty"`
}

// isOpen reports whether an operation may have had no effect.
func (o *operation) isOpen() bool { return o.Return == 0 && !o.Happened }

// isLoose reports whether a linearization need not contain the operation.
func (o *operation) isLoose() bool { return o.isOpen() && !o.isDue }

// isKnown reports whether the result of an operation is known.
func (o *operation) isKnown() bool { return o.Return > 0 && !o.Unknown }

// accepts reports whether the recorded result is consistent with a result of the model. For a
// method without a result, which is "" in the model, any recorded result is.
func (o *operation) accepts(result value) bool {
	return !o.isKnown() || !o.Threw && (result == o.Result || result == "")
}

// precedes reports whether a returned before b was invoked.
func (o *operation) precedes(b *operation) bool { return o.Return > 0 && o.Return < b.Call }

// A record is a history as it is read here.
type record struct {
	id, model string
	args      []value
	ops       []operation // by invocation, with all of them in their places
	failed    []bool      // by operation: it did not happen
	edges     [][2]int
	out       map[int][]int // operation -> those that an edge leads to
	events    int
}

// A reader reads the events of a history in leadline's own format.
type reader struct {
	record
	hasHeader bool
	open      map[string]int // process -> operation, and #operation -> operation
	at        int64          // the last stamp
}

// A line is a line of leadline's own format, without what is not read here, such as crashes.
type line struct {
	Leadline                                       int
	History, Model, Order, Tie, Type, Method, Mark string
	Process, Op                                    value
	Args                                           []value
	Edge                                           [2]value
	Result                                         value
	Exception                                      string
	Unknown                                        bool
	Version, At                                    int64
}

// read reads one history in leadline's own format, as convert writes it. It refuses what it
// does not know: crashes, calls that wait for ever, and events with equal stamps.
func read(text []byte) (*record, error) {
	r := &reader{open: map[string]int{}, at: math.MinInt64, record: record{out: map[int][]int{}}}
	for n, row := range bytes.Split(text, []byte("\n")) {
		if row = bytes.TrimSpace(row); len(row) == 0 || row[0] == '#' {
			continue
		}
		var l line
		has, err := decode(row, &l)
		if err == nil {
			err = r.line(&l, has)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	for _, e := range r.edges { // what came before something happened
		if from, to := e[0], e[1]; !r.failed[from] && !r.failed[to] {
			r.ops[from].Happened = true
			r.out[from] = append(r.out[from], to)
		}
	}
	return &r.record, nil
}

func (r *reader) line(l *line, has map[string]bool) error {
	from, isFrom := r.open["#"+string(l.Edge[0])]
	to, isTo := r.open["#"+string(l.Edge[1])]
	i, isOp := r.open["#"+string(l.Op)]
	switch {
	case has["leadline"] == r.hasHeader:
		return errors.New("a history begins with one header")
	case has["leadline"]:
		r.hasHeader, r.id, r.model, r.args = true, l.History, l.Model, l.Args
	case has["edge"] && isFrom && isTo:
		r.edges = append(r.edges, [2]int{from, to})
	case has["mark"] && l.Mark != "happened" && l.Mark != "did-not-happen":
		return errors.New("there is no such mark")
	case has["mark"] && isOp:
		r.ops[i].Happened = l.Mark == "happened"
		r.failed[i] = !r.ops[i].Happened
	case has["edge"], has["mark"]:
		return errors.New("an edge or a mark of an operation that is not there")
	case has["at"] && l.At <= r.at:
		return errors.New("two events have one stamp, or are not in their order")
	default:
		r.at = l.At
		return r.event(l, has)
	}
	return nil
}

// event adds an invocation or a response.
func (r *reader) event(l *line, has map[string]bool) error {
	r.events++
	process, id := string(l.Process), "#"+string(l.Op)
	if l.Type == "invoke" {
		i := len(r.ops)
		if _, twice := r.open[id]; twice && l.Op != "" {
			return fmt.Errorf("operation %s is there twice", l.Op)
		}
		r.open[process], r.open[id] = i, i
		r.ops, r.failed = append(r.ops, operation{Number: i, Call: r.events, Method: l.Method, Args: l.Args}), append(r.failed, false)
		return nil
	}
	i, ok := r.open[process]
	if l.Op != "" {
		i, ok = r.open[id]
	}
	if !ok || r.ops[i].Return > 0 {
		return fmt.Errorf("a response without an invocation")
	}
	o := &r.ops[i]
	switch l.Type {
	case "ok":
		o.Return, o.Result, o.Unknown, o.Threw = r.events, l.Result, has["unknown"], has["exception"]
	case "fail":
		o.Return, r.failed[i] = r.events, true
	default: // such as a crash
		return fmt.Errorf("an event of type %q is not read here", l.Type)
	}
	return nil
}
