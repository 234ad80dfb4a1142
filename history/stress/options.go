package stress

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/hitting/visibility"
)

// Options are the options of Search. The zero value means the default effort, the bounds
// of Violat and all methods. Supervise passes them on as JSON, without the functions.
type Options struct {
	// ReflectOptions are used by package stresstest and ServeLike, which derive the
	// class. Search itself ignores them.
	ReflectOptions
	Effort Effort // DefaultEffort by default
	Bounds Bounds
	// Seed fixes the programs, not how their threads interleave.
	Seed uint64
	// Methods are the names of the target methods. By default these are all
	// that are neither core nor weak, and then "": the core methods among
	// themselves.
	Methods []string
	// Programs are run instead of generated ones; see Parse.
	Programs []string
	// Outcomes counts the outcomes of the Programs, instead of searching; see Report.Outcomes.
	Outcomes bool
	// Failures searches for panics, fatal errors and calls that do not return, as no sequential run of a
	// program has them; see Failure. Results are not compared, and no Checker is needed.
	Failures bool
	// Exhaustive enumerates the programs within the bounds by rising rank
	// instead of drawing them; see Generate.
	Exhaustive bool
	// GoOn lets the search of a class go on after a violation that no single method is to
	// blame for. No later program calls all methods of the violation in parallel.
	GoOn bool
	// Threads asks Both for threads alone, without schedules.
	Threads bool
	// Preemptions bounds those of schedules: programs get schedules with one preemption first,
	// then with two, and at last with so many. 0 means 3, and 4 for a share of the generated
	// programs, and -1 as many and then no bound. For objects that start goroutines it bounds
	// delays: how often the thread whose turn it is, is skipped. Threads ignore it.
	Preemptions int
	// Dir is where package stresstest saves the histories of violations. By
	// default this is testdata/leadline in the directory of the package under
	// test or, under go test -artifacts, the directory of the artifacts.
	Dir string
	// Strict makes methods that Reflect leaves out, but Exclude does not name,
	// an error of tests of package stresstest, and so if no program could be judged.
	Strict bool

	// Executor makes what runs the programs: NewThreads if it is nil.
	Executor NewExecutor `json:"-"`
	// Checker decides about histories. Search needs it.
	Checker Checker `json:"-"`
	// Silence is how long a supervised process may write nothing, in addition
	// to the time of a program, until it counts as hanging. It is 45 s by
	// default, as waiting threads are slow on a busy machine.
	Silence time.Duration `json:"-"`
	// OnThreads returns a program without instrumentation, for Supervise: the programs of
	// violations that were found by schedules run in it. It may be nil, and may return nil.
	OnThreads func() *worker.Program `json:"-"`
	// Starting receives each program before it runs, with its target method.
	Starting func(method, program string) `json:"-"`
	// Found receives each violation.
	Found func(*Finding) `json:"-"`
	// Crashed receives each crash.
	Crashed func(*Crash) `json:"-"`

	targets   func(methods []string) // receives the names of the target methods
	started   func(startingMessage)  // receives what Starting does
	parallel  func()                 // called when the sequential runs of a program are over
	unreduced func(*Finding)         // receives each violation before it is reduced, and nil if it is none
	known     [][]string             // the methods of violations and crashes that another process has seen
	repeats   func(*GoTest)          // called when a program is about to run in parallel, to confirm a failure
	misuses   []string               // programs that misuse a lock, as other processes have seen
}

// Designations returns the ReflectOptions, which also know the methods that the Programs name.
func (o Options) Designations() ReflectOptions {
	o.programs = strings.Join(o.Programs, "\n")
	return o.ReflectOptions
}

// A Checker knows which histories are linearizable. Package stresstest has the one that uses
// leadline's checker.
type Checker interface {
	// Violates reports whether the history is certainly not linearizable with
	// respect to the model in its header. Methods with a level may miss what it allows.
	// The model "runs" knows the levels itself.
	Violates(ctx context.Context, h *history.History, levels map[string]visibility.Level) (bool, error)
}

// Bounds limit the size and kind of programs. The zero value is what
// Violat generates by default ("Generating Tests of Observational Refinement
// for Concurrent Objects", section 3), with an initial and a final part besides.
type Bounds struct {
	// MinInvocations and MaxInvocations bound the invocations of a program's
	// sequences together: 3 and 6 if zero.
	MinInvocations, MaxInvocations int
	// Initial and Final bound the invocations of the initial part and of the
	// final part of a random program: 2 if zero, none if negative. They fill
	// the object and observe its last state. So a program needs fewer
	// invocations in parallel to go wrong, and to show it. Enumerated programs
	// have neither part.
	Initial, Final int
	// Sequences is the number of sequences of a random program. An
	// enumeration begins with 2 of them and ends with this number. 2 if zero; Search then has
	// some random programs with 3 and 4.
	Sequences int
	// Values is how many values arguments are chosen from, 2 if zero; Search then has some random
	// programs with 3 and 4. An
	// enumeration has programs that use no value, one, and so on.
	Values int
}

const maxValues = 64 // the bits of a word

// fill replaces zeros by defaults. A given bound moves the defaults of the
// others out of its way.
func (b Bounds) fill() Bounds {
	if b.Sequences == 0 {
		b.Sequences = 2
	}
	if b.Values == 0 {
		b.Values = 2
	}
	if b.Initial == 0 {
		b.Initial = 2
	}
	if b.Final == 0 {
		b.Final = 2
	}
	if b.MaxInvocations == 0 {
		b.MaxInvocations = max(6, b.MinInvocations, b.Sequences)
	}
	if b.MinInvocations == 0 {
		b.MinInvocations = min(3, b.MaxInvocations)
	}
	return b
}

// Validate returns an error if no program can be within the bounds.
func (b Bounds) Validate() error {
	b = b.fill()
	switch {
	case b.MinInvocations < 0 || b.MaxInvocations < 0 || b.Sequences < 0 || b.Values < 0:
		return fmt.Errorf("the bounds of a program are negative: %d to %d invocations, %d sequences, %d values",
			b.MinInvocations, b.MaxInvocations, b.Sequences, b.Values)
	case b.MinInvocations > b.MaxInvocations:
		return fmt.Errorf("at least %d invocations, but at most %d", b.MinInvocations, b.MaxInvocations)
	case b.Sequences > maxSequences:
		return fmt.Errorf("%d sequences, but at most %d are possible", b.Sequences, maxSequences)
	case b.MaxInvocations > maxInvocations:
		return fmt.Errorf("%d invocations, but at most %d are possible", b.MaxInvocations, maxInvocations)
	case b.Sequences > b.MaxInvocations:
		return fmt.Errorf("%d sequences, but at most %d invocations", b.Sequences, b.MaxInvocations)
	case b.Values > maxValues:
		return fmt.Errorf("%d values, but at most %d are possible", b.Values, maxValues)
	}
	return nil
}
