package stress

import (
	"cmp"
	"fmt"
	"slices"
)

// An Account says what a search tried, and what it did not.
type Account struct {
	Methods []*MethodAccount `json:"methods"`
	Sizes   []*SizeAccount   `json:"sizes"` // of the programs of one pass, see Both
	// Sequences, Invocations (in the sequences) and Values are those of the largest programs.
	// Preemptions bounds those of schedules, or the delays. Programs that are complete to more are
	// complete without a bound.
	Sequences   int        `json:"sequences"`
	Invocations int        `json:"invocations"`
	Values      int        `json:"values"`
	Preemptions int        `json:"preemptions"`
	LeftOut     []Omission `json:"left_out"`
}

// A MethodAccount says what was tried of a method.
type MethodAccount struct {
	Name  string `json:"name"`
	Named bool   `json:"named,omitempty"` // the options name it, so it has to be exercised
	// Programs counts those that call the method in parallel. In Returned of them a call returned.
	// In Exercised of them a call began and returned, and between these another call or a
	// goroutine of the object took a step. Threads have no steps: there, another call
	// overlapped it in time. A call of a single step cannot be interrupted: it is exercised if
	// others took steps before it and, in another execution, after it.
	Programs  int `json:"programs"`
	Returned  int `json:"returned"`
	Exercised int `json:"exercised"`
	// Instrumented says that a call took a step in a schedule.
	Instrumented bool `json:"instrumented"`
	// Ordered says that the method was exercised in a program whose results show the order of its
	// invocations, and Twice that one calls it twice in parallel, or that it is read-only.
	Ordered bool `json:"ordered"`
	Twice   bool `json:"twice"`
}

// A SizeAccount is about the programs with the same numbers of sequences, and of invocations in them.
type SizeAccount struct {
	Sequences   int `json:"sequences"`
	Invocations int `json:"invocations"`
	Programs    int `json:"programs"`
	Of          int `json:"of,omitempty"` // how many there are within the bounds, with Options.Exhaustive
	// Complete[n] is the number of programs for which all schedules with at most n preemptions, or
	// delays, were run. It has no program whose calls took no step.
	Complete []int `json:"complete,omitempty"`
}

// An Omission is something that was not tried: a method, or Programs such as What.
type Omission struct {
	What     string `json:"what"`
	Programs int    `json:"programs,omitempty"`
	Why      string `json:"why,omitempty"`
	Remedy   string `json:"remedy,omitempty"`
	Given    bool   `json:"given,omitempty"` // the options give the program
}

// Excluded reports whether ReflectOptions.Exclude names the method.
func (o Omission) Excluded() bool { return o.Why == excludedReason }

func (o Omission) String() string {
	text := o.What
	if o.Programs > 0 {
		text = fmt.Sprintf("%s, such as %s", counted(o.Programs, "program", "programs"), o.What)
	}
	if o.Why != "" {
		text += ": " + o.Why
	}
	if o.Remedy != "" {
		text += "; " + o.Remedy
	}
	return text
}

// Omit adds something that was not tried. Programs with the same reason are one Omission.
func (a *Account) Omit(o Omission) {
	for i := range a.LeftOut {
		if own := &a.LeftOut[i]; own.Why == o.Why && (o.Programs > 0 && own.Programs > 0 || own.What == o.What) {
			own.Programs += o.Programs
			return
		}
	}
	a.LeftOut = append(a.LeftOut, o)
}

// omit adds a program that was not run, given by the options or not.
func (a *Account) omit(p string, given bool, why string) {
	if given {
		a.Omit(Omission{What: p, Why: why, Given: true})
	} else {
		a.Omit(Omission{What: p, Why: why, Programs: 1})
	}
}

// Method returns what is known of the method called name.
func (a *Account) Method(name string) *MethodAccount {
	i := slices.IndexFunc(a.Methods, func(m *MethodAccount) bool { return m.Name == name })
	if i < 0 {
		i = len(a.Methods)
		a.Methods = append(a.Methods, &MethodAccount{Name: name})
	}
	return a.Methods[i]
}

// Size returns what is known of programs like p.
func (a *Account) Size(p *Program) *SizeAccount {
	return a.size(len(p.Sequences), p.Len()-len(p.Initial)-len(p.Final))
}

func (a *Account) size(sequences, invocations int) *SizeAccount {
	i, found := slices.BinarySearchFunc(a.Sizes, [2]int{sequences, invocations}, func(s *SizeAccount, n [2]int) int {
		return cmp.Or(s.Sequences-n[0], s.Invocations-n[1])
	})
	if !found {
		a.Sizes = slices.Insert(a.Sizes, i, &SizeAccount{Sequences: sequences, Invocations: invocations})
	}
	return a.Sizes[i]
}

// programs returns how many programs were run.
func (a *Account) programs() (n int) {
	for _, s := range a.Sizes {
		n += s.Programs
	}
	return n
}

// Completed notes that programs of the size are complete to a bound.
func (s *SizeAccount) Completed(bound, programs int) {
	for len(s.Complete) <= bound {
		s.Complete = append(s.Complete, 0)
	}
	s.Complete[bound] += programs
}

// called counts a program by the methods that its sequences call. Sequential runs show whether calls
// return.
func (a *Account) called(e *Expected) {
	returned := map[*Method]bool{}
	for i, inv := range e.all {
		returned[inv.Method] = returned[inv.Method] || slices.ContainsFunc(e.set.slots, func(s tallySlot) bool {
			return s.hash != 0 && s.Outcome[i] != Waiting && s.Outcome[i] != NotCalled
		})
	}
	for _, name := range e.Program.Parallel() {
		m := a.Method(name)
		m.Programs++
		if returned[e.Class.Method(name)] {
			m.Returned++
		}
	}
}

// ran counts a program that was run by its size.
func (a *Account) ran(p *Program) {
	s, r := a.Size(p), rank(p)
	s.Programs++
	a.Sequences, a.Invocations, a.Values = max(a.Sequences, s.Sequences), max(a.Invocations, s.Invocations), max(a.Values, r[2])
}

// exercised notes which methods a program exercised; first is set when it ran for the first time.
func (a *Account) exercised(e *Expected, methods []*Method, first bool) {
	for _, method := range methods {
		m := a.Method(method.Name)
		if first || m.Exercised == 0 {
			m.Exercised++
		}
		times := 0
		for _, inv := range slices.Concat(e.Program.Sequences...) {
			if inv.Method == method {
				times++
			}
		}
		m.Ordered, m.Twice = m.Ordered || e.set.n > 1, m.Twice || times > 1 || method.ReadOnly
	}
}

// add adds the account of another process or pass.
func (a *Account) add(other *Account) {
	for _, o := range other.Methods {
		m := a.Method(o.Name)
		m.Programs, m.Returned, m.Exercised = m.Programs+o.Programs, m.Returned+o.Returned, m.Exercised+o.Exercised
		m.Named, m.Instrumented, m.Ordered, m.Twice = m.Named || o.Named, m.Instrumented || o.Instrumented, m.Ordered || o.Ordered, m.Twice || o.Twice
	}
	for _, o := range other.Sizes {
		s := a.size(o.Sequences, o.Invocations)
		if o.Of > 0 { // both begin with the same programs
			if o.Programs >= s.Programs {
				*s = *o
			}
			continue
		}
		s.Programs += o.Programs
		for b, n := range o.Complete {
			s.Completed(b, n)
		}
	}
	a.Sequences, a.Invocations, a.Values = max(a.Sequences, other.Sequences), max(a.Invocations, other.Invocations), max(a.Values, other.Values)
	a.Preemptions = max(a.Preemptions, other.Preemptions)
	for _, o := range other.LeftOut {
		a.Omit(o)
	}
}
