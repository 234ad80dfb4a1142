package view

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/report"
)

// A row is a line of the list of histories.
type row struct {
	Name      string `json:"name"`
	Model     string `json:"model"`
	Verdict   string `json:"verdict"`
	Cause     string `json:"cause,omitempty"`
	Ops       int    `json:"ops"`
	Pending   int    `json:"pending,omitempty"`
	Processes int    `json:"processes"`
	Depth     int    `json:"depth,omitempty"`
	Deeper    int    `json:"deeper,omitempty"`
	C         int    `json:"c,omitempty"`
	Error     string `json:"error,omitempty"`
}

func newRow(item *Item) row {
	if item.Err != nil {
		return row{Name: report.Clean(nameOf(item)), Verdict: "invalid", Error: report.CleanLines(item.Err.Error())}
	}
	h, v := item.History, &item.Verdict
	r := row{
		Name: report.Clean(nameOf(item)), Model: report.Clean(item.Spec.Name()), Verdict: v.Answer.String(),
		Ops: len(h.Ops), Pending: h.Pending(), Processes: len(h.Processes), C: v.C,
	}
	switch v.Answer {
	case replay.Undecided:
		r.Cause = v.Cause.String()
	case replay.Linearizable:
		r.Depth, r.Deeper = v.Depth, v.Deeper
	}
	return r
}

func nameOf(item *Item) string {
	name := item.Name
	if h := item.History; h != nil && name == "" {
		if name = h.File; name != "" && h.ID != "" {
			name += "#"
		}
		name += h.ID
	}
	return cmp.Or(name, "history")
}

// A page is the data of one history for the script. Operations are columns of numbers,
// which compress well. A text is an index into Texts.
type page struct {
	Format    string   `json:"format,omitempty"`
	Engine    string   `json:"engine,omitempty"`
	CP        int64    `json:"cp,omitempty"`
	Dropped   int      `json:"dropped,omitempty"`
	Relaxed   bool     `json:"relaxed,omitempty"` // the order is that within each process, not real time
	Packed    bool     `json:"packed,omitempty"`  // the file has no processes: see history.Header.NoProcesses
	Processes []string `json:"processes"`
	Texts     []string `json:"texts"`

	// The following have one number per operation. Calls and returns are ranks of events;
	// the return of a pending operation is -1. A line is the difference from the line of the
	// previous operation. Parts are keys of a map, or -1; nil if there are no parts.
	Method   []int32 `json:"method"`
	Args     []int32 `json:"args"`
	Result   []int32 `json:"result"`
	Process  []int32 `json:"process"`
	Call     []int32 `json:"call"`
	Return   []int32 `json:"return"`
	Line     []int32 `json:"line"`
	ID       []int32 `json:"id,omitempty"` // nil if each identifier is the operation's number
	Part     []int32 `json:"part,omitempty"`
	Happened []int32 `json:"happened,omitempty"` // pending operations

	Waits map[int32]string `json:"waits,omitempty"` // the operations that wait for ever, for what; their returns are -1

	Start  string         `json:"start,omitempty"`  // stamp of the first event
	Stamps []uint64       `json:"stamps,omitempty"` // of the events by rank, each the difference from the previous one
	Edges  []history.Edge `json:"edges,omitempty"`  // edges between operations that neither real time nor program order implies

	Chain   int32            `json:"chain,omitempty"` // of the schedule index
	Tuple   []int32          `json:"tuple,omitempty"`
	Witness []int32          `json:"witness,omitempty"`
	States  *states          `json:"states,omitempty"`
	Reason  []report.Passage `json:"reason"`
	Why     *reasons         `json:"why,omitempty"`
	Clash   []int32          `json:"clash,omitempty"` // Verdict.Conflict
	Steps   string           `json:"steps,omitempty"`
}

// reasons are the operations that matter to a replay.Explanation.
type reasons struct {
	Unexplained int32     `json:"unexplained"`
	Core        []int32   `json:"core,omitempty"`
	Free        [][]freed `json:"free,omitempty"`
}

type freed struct {
	Op      int32    `json:"op"`
	Allowed []string `json:"allowed"`
}

// texts assigns numbers to distinct strings.
type texts struct {
	list  []string
	index map[string]int32
}

func (t *texts) number(text string) int32 {
	i, ok := t.index[text]
	if !ok {
		i = int32(len(t.list))
		t.list, t.index[text] = append(t.list, text), i
	}
	return i
}

// newPage returns the data of a valid item.
func newPage(item *Item) *page {
	h, v := item.History, &item.Verdict
	p := &page{
		Format: report.Clean(h.Format), CP: v.CP, Dropped: h.Dropped, Relaxed: h.IsRelaxed(), Packed: h.NoProcesses && !h.IsRelaxed(),
		Witness: v.Witness, Clash: v.Conflict, Processes: []string{}, Steps: report.CleanLines(item.Steps),
	}
	if v.Decided() {
		p.Engine = v.Engine.String()
	}
	for _, process := range h.Processes {
		p.Processes = append(p.Processes, report.Name(process))
	}
	t := &texts{list: []string{}, index: map[string]int32{}}
	p.addOperations(h, item.Spec, t)
	p.addTimes(h)
	for _, w := range h.Waits {
		if p.Waits == nil {
			p.Waits = map[int32]string{}
		}
		p.Waits[w.Op] = report.Clean(w.For)
	}
	p.Texts = t.list
	if v.Answer == replay.Linearizable && v.Witness != nil {
		if v.Depth > 0 {
			p.Chain, p.Tuple = v.Index.Chain, v.Index.Tuple
		}
		p.States = replayWitness(h, item.Spec, v.Witness, statesBudget)
	}
	if e := v.Explanation; e != nil {
		p.Why = newReasons(e)
	}
	p.Reason = report.Reason(h, v)
	return p
}

func (p *page) addOperations(h *history.History, spec replay.Spec, t *texts) {
	partitioned := replay.TraitsOf(spec).Partitioned
	numbered, line := true, int32(0)
	for _, column := range []*[]int32{&p.Method, &p.Args, &p.Result, &p.Process, &p.Line} {
		*column = make([]int32, 0, len(h.Ops))
	}
	for i := range h.Ops {
		op := &h.Ops[i]
		var args strings.Builder
		for k, a := range op.Args {
			if k > 0 {
				args.WriteString(", ")
			}
			args.WriteString(a.String())
		}
		p.Method = append(p.Method, t.number(report.Clean(op.Method)))
		p.Args = append(p.Args, t.number(args.String()))
		p.Result = append(p.Result, t.number(op.Result.String()))
		p.Process = append(p.Process, op.Process)
		p.Line = append(p.Line, op.Line-line)
		line = op.Line
		p.ID = append(p.ID, t.number(report.Name(op.ID())))
		numbered = numbered && op.ID().Equal(history.IntValue(int64(i)))
		if partitioned {
			part := int32(-1)
			if key, ok := replay.FactsOf(spec, op).PartOf(op); ok {
				part = t.number(key.String())
			}
			p.Part = append(p.Part, part)
		}
		if op.Happened {
			p.Happened = append(p.Happened, int32(i))
		}
	}
	if numbered {
		p.ID = nil
	}
}

// addTimes sets the calls, the returns, the stamps and the edges. Ranks count the events
// of the operations in the page, while positions also count the events of dropped ones.
// In a relaxed history, each process has ranks of its own.
func (p *page) addTimes(h *history.History) {
	n := len(h.Ops)
	p.Call, p.Return = make([]int32, n), make([]int32, n)
	next := make([]int32, len(h.Processes)) // rank in each process
	last := int32(-1)
	for i := range h.Ops {
		op := &h.Ops[i]
		p.Return[i] = -1
		if last = max(last, op.Call); !isOpen(op) {
			last = max(last, op.Return)
		}
		if p.Relaxed {
			p.Call[i] = next[op.Process]
			if !isOpen(op) {
				p.Return[i] = p.Call[i] + 1
			}
			next[op.Process] += 2
		}
	}
	p.Edges = slices.DeleteFunc(slices.Clone(h.Edges), func(e history.Edge) bool {
		from, to := int(e.From), int(e.To)
		return from >= n || to >= n || h.Ops[from].Process == h.Ops[to].Process
	})
	if p.Relaxed {
		return
	}
	at := make([]*int32, last+1) // by position
	for i := range h.Ops {
		op := &h.Ops[i]
		at[op.Call] = &p.Call[i]
		if !isOpen(op) {
			at[op.Return] = &p.Return[i]
		}
	}
	rank, before := int32(0), int64(0)
	for position, place := range at {
		if place == nil {
			continue
		}
		*place = rank
		if position < len(h.Stamps) {
			if rank == 0 {
				before = h.Stamps[position]
				p.Start = strconv.FormatInt(before, 10)
			}
			p.Stamps = append(p.Stamps, uint64(h.Stamps[position]-before))
			before = h.Stamps[position]
		}
		rank++
	}
}

// isOpen reports whether a page draws an operation without an end.
func isOpen(op *history.Operation) bool { return op.Pending() || op.Waits }

func newReasons(e *replay.Explanation) *reasons {
	r := &reasons{Unexplained: e.Unexplained, Core: e.Core}
	for _, group := range e.Free {
		var all []freed
		for _, f := range group {
			texts := resultTexts(f.Allowed)
			if len(texts) == 0 {
				texts = []string{"something else"}
			}
			all = append(all, freed{f.Op, texts})
		}
		r.Free = append(r.Free, all)
	}
	return r
}

func resultTexts(results []history.Value) []string {
	all := []string{}
	for _, v := range results {
		all = append(all, report.Result(v))
	}
	return all
}
