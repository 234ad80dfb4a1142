package schedule

import (
	"fmt"
	"math/bits"
	"runtime"
	"strconv"
	"strings"
)

// An Access is a step of an execution.
type Access struct {
	Thread int8
	Kind   Kind
	Flags  Flags
	Node   int32   // the index in the schedule of the decision before it, or -1
	Addr   uintptr // means something in one execution only
}

// Flags of a step.
type Flags uint8

const (
	Global  Flags = 1 << iota // conflicts with all others
	Waits                     // it waited, or could have
	Follows                   // belongs to the step of its thread before it
	Returns                   // an invocation returned after it
	Clock                     // reads the clock, or sleeps: conflicts with others that do
)

// An Event is the beginning or end of an invocation. Its stamp is the number of steps executed then.
type Event struct {
	Stamp           int32
	Thread          int8
	Sequence, Index int16
	Return          bool
}

// A Result describes an execution. It is valid until the next Run.
type Result struct {
	Schedule    Schedule
	Trace       []Access
	From, To    int      // the part of Trace from the start of the threads until they ended and daemons blocked
	Pending     []Access // the steps that threads did not take there
	Events      []Event
	Details     []Detail // of each step of Trace, if it was called by Trace
	Fingerprint uint64   // of the threads and kinds of all steps: the same in each process
	Steps       int
	Preemptions int
	Cut         bool      // more steps than Limits, or threads that only poll, perhaps not forever
	Pruned      bool      // ended by the strategy: nothing new would follow
	Deadlock    bool      // no thread can go on, and a thread of the program has not ended
	Spins       bool      // a Deadlock in which threads go on, but spin forever
	Blocked     []Blocked // the threads that had not ended, if Deadlock or Cut or traced
	Crowded     bool      // a Cut for too many goroutines: see MaxThreads
	Reused      bool      // a goroutine got the number of one that had ended: the schedules of a strategy are not all there are
	Fatal       string    // the fatal error that the runtime would have ended the process with: see Fail
	Panic       any       // that no thread recovered
	Crash       *Crash    // where it was
	Diverged    bool      // a decision of the strategy was impossible: the program is not deterministic
	Withheld    bool      // a goroutine that seemed to spin when all others were done did not go on
	Ticks       int       // how often the strategy let time pass, and sleeping goroutines woke before a thread of the program
	Elapsed     int64     // the virtual time that has passed, in nanoseconds
	Jumped      bool      // some of it, until a sleeper woke
	Spawned     int       // goroutines that the object started
	Timed       bool      // the clock was read
	Slept       bool      // a thread of the program slept
	DaemonsLeft int
	Left        int    // of these, goroutines that an invocation started and that are blocked
	Started     uint64 // the invocations that started goroutines, one bit each
	Choices     int    // made by Choose
	Collected   string // a function that depends on the garbage collector was called, and where
	Places      uint64 // a hash of where which threads are Blocked, in this process

	forever, ended uint64 // see Forever

	Foreign int // hooks called by goroutines that the scheduler does not know
	Lost    int // threads that could not be ended
	Made    int // goroutines of the process that the execution needed for threads
}

// A Blocked is a thread that had not ended.
type Blocked struct {
	Thread          int
	Daemon          bool
	Sequence, Index int    // its invocation, or that in which the goroutine was started, or -1
	What            string // it waits for, or "spins"
	Spins           bool
	Holder          int  // the thread that has what it waits for, or -1 if unknown
	Queued          bool // the Holder does not have it yet, but comes first
	stack           []uintptr
	started         []uintptr // the stack of the go statement, if traced
}

// Where returns the file and line of the operation that blocks.
func (b *Blocked) Where() string { return position(b.stack) }

// Started returns the file and line of the go statement of a goroutine of the object, if the
// execution is traced.
func (b *Blocked) Started() string { return position(b.started) }

// Because says why the thread waits, given who the Holder is.
func (b *Blocked) Because(holder string) string {
	if b.Queued {
		return ", behind " + holder + ", which waits to lock it"
	}
	return ", held by " + holder
}

// hash adds the thread and where it is to a hash.
func (b *Blocked) hash(h uint64) uint64 {
	h = (h ^ uint64(b.Index+1)) * 0x100000001b3
	for _, pc := range b.stack {
		h = (h ^ uint64(pc)) * 0x100000001b3
	}
	return h
}

// String returns a line such as "thread 1 waits for sync.Mutex.Lock, held by thread 0, at map.go:7".
func (b *Blocked) String() string {
	kind, what := "thread ", b.What
	if b.Daemon {
		kind = "goroutine "
	}
	if what == "" {
		what = "its turn"
	}
	text := kind + strconv.Itoa(b.Thread) + " waits for " + what
	if b.Spins {
		text = kind + strconv.Itoa(b.Thread) + " spins"
	}
	if b.Holder >= 0 {
		text += b.Because("thread " + strconv.Itoa(b.Holder))
	}
	if where := b.Where(); where != "" {
		text += ", at " + where
	}
	return text
}

func (s *scheduler) report() {
	s.reporting = true
	for m := s.alive; m != 0; m &= m - 1 {
		t := s.threads[bits.TrailingZeros64(m)]
		if !t.started {
			continue
		}
		current.Store(t)
		t.resume()
		b := Blocked{t.id, t.daemon, int(t.sequence), int(t.index), t.what, s.result.Spins && t.spun, -1, false, append([]uintptr(nil), t.stack...), t.from}
		if b.Spins {
			b.What = "spins"
		}
		if h, ok := t.waiter.(Held); ok {
			if list := h.Holders(); len(list) > 0 {
				b.Holder, b.Queued = list[0].Thread, list[0].Queued
			}
		}
		s.result.Blocked = append(s.result.Blocked, b)
	}
	current.Store(nil)
	s.reporting = false
}

// A Detail describes a step of a traced execution.
type Detail struct {
	Note  string // see the function Note
	stack []uintptr
}

// Where returns the file and line of the code that took the step.
func (d *Detail) Where() string { return position(d.stack) }

// Within reports whether the step was taken by a line of a file, or by what that line calls.
func (d *Detail) Within(file string, line int) bool {
	for frames := runtime.CallersFrames(d.stack); ; {
		f, more := frames.Next()
		if f.Line == line && (f.File == file || strings.HasSuffix(f.File, "/"+file)) {
			return true
		}
		if !more {
			return false
		}
	}
}

// room is the path of this package and of its shims.
const room = "github.com/leadline/leadline/history/explore/"

// position returns the innermost position outside of this package, its shims and the
// runtime.
func position(stack []uintptr) string {
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		inner := func(prefix string) bool { return strings.HasPrefix(f.Function, prefix) }
		if f.Function != "" && !inner(room+"schedule.") && !inner(room+"shim/") && !inner(room+"tests/") &&
			!inner("runtime.") && !inner("iter.") { // which call deferred functions
			return f.File + ":" + strconv.Itoa(f.Line)
		}
		if !more {
			return ""
		}
	}
}

// A Schedule is the decisions of an execution: threads, and numbers chosen.
type Schedule []int16

// String returns the schedule in a short form that ParseSchedule reads: "0^8 1 0^3".
func (s Schedule) String() string {
	var b strings.Builder
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && s[j] == s[i] {
			j++
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Itoa(int(s[i])))
		if j-i > 1 {
			b.WriteString("^" + strconv.Itoa(j-i))
		}
		i = j
	}
	return b.String()
}

// ParseSchedule reads what String returns.
func ParseSchedule(text string) (Schedule, error) {
	var s Schedule
	for _, field := range strings.Fields(text) {
		number, power, repeated := strings.Cut(field, "^")
		n, err := strconv.ParseInt(number, 10, 16)
		count := uint64(1)
		if err == nil && repeated {
			count, err = strconv.ParseUint(power, 10, 20)
		}
		if err != nil || n < 0 || count == 0 || len(s)+int(count) > 1<<20 {
			return nil, fmt.Errorf("schedule: %q is not a decision such as 0 or 0^8", field)
		}
		for range count {
			s = append(s, int16(n))
		}
	}
	return s, nil
}

// Trace runs the schedule and records the position of each step and what hooks Note.
func Trace(p *Program, s Schedule, l Limits) *Result {
	return the.execute(p, NewReplay(s), l, true)
}
