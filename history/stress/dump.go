package stress

import (
	"bytes"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// A goroutine is what the runtime reports about one.
type goroutine struct {
	id, creator int64 // creator is 0 if it is unknown
	state       string
	ours        bool // this package started it
	frames      string
}

// waitStates are the states of goroutines that only another one can wake, or a
// timer. Those of the scheduler are coroutines.
var waitStates = []string{"chan receive", "chan send", "chan receive (nil chan)", "chan send (nil chan)", "select", "select (no cases)", "coroutine",
	"sync.Cond.Wait", "sync.Mutex.Lock", "sync.RWMutex.RLock", "sync.RWMutex.Lock", "sync.WaitGroup.Wait"}

func (g *goroutine) waits() bool {
	if g != nil && g.state == "semacquire" {
		// The runtime has semaphores of its own: it stops all for a dump, say, or a
		// collection of garbage begins. Whoever waits for those soon goes on.
		function, _, _ := strings.Cut(g.frames, "(")
		return strings.HasSuffix(function, ".runtime_Semacquire") // of package sync or internal/poll
	}
	return g != nil && slices.Contains(waitStates, g.state)
}

// where returns the state and the place in the code of the object.
func (g *goroutine) where() string {
	lines := strings.Split(g.frames, "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		function, line := lines[i], strings.TrimSpace(lines[i+1])
		if slices.ContainsFunc([]string{"runtime.", "sync.", "internal/"}, func(prefix string) bool { return strings.HasPrefix(function, prefix) }) {
			continue
		}
		line, _, _ = strings.Cut(line, " +0x")
		return g.state + " at " + line[strings.LastIndexByte(line, '/')+1:]
	}
	return g.state
}

// A dump has all goroutines of the process at one moment.
type dump map[int64]*goroutine

func takeDump() dump {
	buffer := make([]byte, 1<<16+2048*runtime.NumGoroutine())
	n := runtime.Stack(buffer, true)
	for n == len(buffer) { // it is cut off
		buffer = make([]byte, 2*n)
		n = runtime.Stack(buffer, true)
	}
	d := dump{}
	for text := range bytes.SplitSeq(buffer[:n], []byte("\n\n")) {
		if g := parseGoroutine(string(text)); g != nil {
			d[g.id] = g
		}
	}
	return d
}

// startedHere precedes the functions of this package, and of package safety, that
// start goroutines.
var startedHere = []string{"created by github.com/leadline/leadline/history/stress.",
	"created by github.com/leadline/leadline/history/stress/safety.newThread", "created by github.com/leadline/leadline/history/stress/safety.serve"}

// parseGoroutine reads what runtime.Stack writes about a goroutine, or returns
// nil.
func parseGoroutine(text string) *goroutine {
	header, frames, _ := strings.Cut(text, "\n")
	number, header, _ := strings.Cut(strings.TrimPrefix(header, "goroutine "), " ")
	_, header, _ = strings.Cut(header, "[")
	state, _, _ := strings.Cut(header, "]")
	state, _, _ = strings.Cut(state, ",")
	for _, remark := range []string{" (scan)", " (durable)", " (leaked)"} {
		state = strings.ReplaceAll(state, remark, "")
	}
	g := &goroutine{state: state, frames: frames}
	var err error
	if g.id, err = strconv.ParseInt(number, 10, 64); err != nil {
		return nil
	}
	if at := strings.LastIndex(frames, "created by "); at >= 0 {
		creation, _, _ := strings.Cut(frames[at:], "\n")
		g.ours = slices.ContainsFunc(startedHere, func(begin string) bool { return strings.HasPrefix(creation, begin) })
		if _, creator, ok := strings.Cut(creation, " in goroutine "); ok {
			g.creator, _ = strconv.ParseInt(creator, 10, 64)
		}
	}
	return g
}

// ofObjects reports whether an object may have started the goroutine: whether one of
// its creators, direct or indirect, belongs to this package or has ended since.
func (d dump) ofObjects(g *goroutine) bool {
	if g.ours {
		return false
	}
	for g.creator != 0 {
		if g = d[g.creator]; g == nil || g.ours {
			return true
		}
	}
	return false
}

// quiet reports whether all goroutines that objects started wait, so that none
// of them can wake another.
func (d dump) quiet() bool {
	for _, g := range d {
		if !g.waits() && d.ofObjects(g) {
			return false
		}
	}
	return true
}

// goroutineID returns the number of the calling goroutine.
func goroutineID() int64 {
	var buffer [64]byte
	return parseGoroutine(string(buffer[:runtime.Stack(buffer[:], false)])).id
}

// A look is what is known of goroutines that do not move.
type look uint8

const (
	moves   look = iota // at least one might go on by itself
	waits               // nothing can wake them, unless there is a timer
	mayMove             // they wait, but a goroutine of an object does not
)

// lookAt reports what these goroutines do. They have waited twice in the same
// states if it does not return moves.
func lookAt(ids []int64) (look, dump) {
	first := takeDump()
	for _, id := range ids {
		if !first[id].waits() {
			return moves, nil
		}
	}
	runtime.Gosched()
	second := takeDump()
	for _, id := range ids {
		if g := second[id]; !g.waits() || g.state != first[id].state {
			return moves, nil
		}
	}
	if !first.quiet() || !second.quiet() {
		return mayMove, second
	}
	return waits, second
}

// GoroutineID returns the number of the calling goroutine, for DumpOf.
func GoroutineID() int64 { return goroutineID() }

// A Dump is what some goroutines do.
type Dump struct {
	// Waits means that all of them wait, as do those that they have started. So
	// only a timer can wake them.
	Waits bool
	// Locks means that all of these wait for locks, semaphores and conditions,
	// not for channels, on which timers send.
	Locks  bool
	Stacks []string // by goroutine, with its state first
}

// DumpOf returns what the goroutines do.
func DumpOf(ids []int64) Dump {
	l, d := lookAt(ids)
	if l != waits {
		d = takeDump()
	}
	result := Dump{Waits: l == waits, Locks: l == waits}
	for _, g := range d {
		if (slices.Contains(ids, g.id) || d.ofObjects(g)) && (strings.HasPrefix(g.state, "chan") || strings.HasPrefix(g.state, "select")) {
			result.Locks = false
		}
	}
	for _, id := range ids {
		if g := d[id]; g != nil {
			result.Stacks = append(result.Stacks, "["+g.state+"]\n"+g.frames)
		}
	}
	return result
}
