package peers_test

import (
	"math/rand/v2"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A subject is a specification with its methods.
type subject struct {
	name    string
	spec    replay.Spec
	methods []signature
}

// A pendingCall is an open operation of a random history.
type pendingCall struct {
	event  history.Event
	kinds  string // of results
	took   bool
	result history.Value
}

// A recorder generates one random history.
type recorder struct {
	r       *rand.Rand
	s       subject
	object  replay.Object
	open    []*pendingCall
	values  []history.Value // see elements
	names   []int64
	events  []history.Event
	results map[string][]history.Value // that were correct at some time, by method
	lose    int                        // one in this many responses never comes; 0: all come
	wrong   int                        // one in this many results is wrong; 0: none
	blank   int                        // one in this many results is unknown; 0: none
	spoilt  bool                       // a result differs from the object's
}

// randomHistory returns a history of 3 to 12 operations by 2 to 4 processes.
// Each operation takes effect at some moment between its events. In some
// histories, some results are then made wrong or unknown. right reports that
// none was made wrong, so that the history is certainly linearizable.
func randomHistory(r *rand.Rand, s subject) (h *history.History, right bool, err error) {
	c := &recorder{r: r, s: s, object: s.spec.New(), values: elements(r), results: map[string][]history.Value{}}
	n, processes := 3+r.IntN(10), 2+r.IntN(3)
	if r.IntN(3) == 0 {
		c.lose = 8
	}
	if r.IntN(4) > 0 {
		c.wrong = 1 + r.IntN(n)
	}
	if r.IntN(2) == 0 {
		c.blank = 2 + r.IntN(8)
	}
	c.open = make([]*pendingCall, processes)
	for p := range processes {
		c.names = append(c.names, int64(p))
	}
	pool := c.pool()
	next := int64(processes)
	for begun, idle := 0, 0; idle < 40; idle++ {
		p := r.IntN(processes)
		switch call := c.open[p]; {
		case call == nil && begun < n:
			if c.invoke(p, begun, pool[r.IntN(len(pool))]) {
				begun, idle = begun+1, 0
			}
		case call == nil:
		case c.lose > 0 && r.IntN(2*c.lose) == 0:
			c.events = append(c.events, history.Event{Type: history.Info, Process: call.event.Process, Op: call.event.Op})
			c.open[p], c.names[p], idle = nil, next, 0
			next++
		case !call.took:
			if c.apply(call) {
				idle = 0
			}
		default:
			c.respond(call)
			c.open[p], idle = nil, 0
		}
	}
	for i := range c.events {
		c.events[i].Line = i + 1
	}
	h, err = history.New(history.Header{ID: s.name, Model: s.spec.Name()}, c.events)
	return h, !c.spoilt, err
}

// pool chooses the methods of one history: a few, so that they interact. Half
// of the time they are the first of the list, which are the most common ones.
func (c *recorder) pool() []signature {
	from := c.s.methods
	if c.r.IntN(2) == 0 {
		from = from[:min(len(from), 6)]
	}
	pool := make([]signature, 2+c.r.IntN(4))
	for i := range pool {
		pool[i] = from[c.r.IntN(len(from))]
	}
	return pool
}

func (c *recorder) invoke(p, id int, s signature) bool {
	inv, ok := s.invocation(c.r, c.s.spec, c.values)
	if !ok {
		return false
	}
	call := &pendingCall{kinds: s.result, event: history.Event{
		Process: history.IntValue(c.names[p]), Op: history.IntValue(int64(id)), Method: inv.Method, Args: inv.Args,
	}}
	c.events = append(c.events, call.event)
	c.open[p] = call
	return true
}

// apply performs the call, if the object has a transition for it.
func (c *recorder) apply(call *pendingCall) bool {
	inv := replay.Invocation{Method: call.event.Method, Args: call.event.Args}
	if n, several := c.object.(replay.Nondeterministic); several {
		all := n.Outcomes(inv)
		if len(all) == 0 {
			return false
		}
		o := all[c.r.IntN(len(all))]
		call.result, c.object, call.took = o.Result, o.Next, true
	} else if call.result, call.took = c.object.Apply(inv); !call.took {
		return false
	}
	c.results[inv.Method] = append(c.results[inv.Method], call.result)
	return true
}

func (c *recorder) respond(call *pendingCall) {
	result := call.result
	if c.wrong > 0 && c.r.IntN(c.wrong) == 0 {
		result = c.other(call)
		c.spoilt = true
	}
	if c.blank > 0 && c.r.IntN(c.blank) == 0 {
		result = history.UnknownValue
	}
	c.events = append(c.events, history.Event{Type: history.OK, Process: call.event.Process, Op: call.event.Op, Result: result})
}

// other returns a possible result of the method, which may be wrong here.
func (c *recorder) other(call *pendingCall) history.Value {
	seen := c.results[call.event.Method]
	result := seen[c.r.IntN(len(seen))]
	if call.kinds != "" && call.kinds != "string" && call.kinds != "list" && c.r.IntN(3) > 0 {
		result = value(c.r, call.kinds, c.values)
	}
	if c.r.IntN(3) == 0 {
		result = awkward[c.r.IntN(len(awkward))]
	}
	if c.s.spec.Check(&history.Operation{Method: call.event.Method, Args: call.event.Args, Result: result}) != nil {
		return call.result
	}
	return result
}
