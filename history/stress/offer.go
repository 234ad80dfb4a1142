package stress

import (
	"slices"
	"strings"

	"github.com/leadline/leadline/hitting/visibility"
)

// mostObservers bounds the calls at the end of a program that confirm a level.
const mostObservers = 8

// offers returns the levels with which the executions of a finding are expected; see Finding.Weak.
// A level may explain an update that is lost as one that a call has missed. So it also has to
// explain what calls of reading methods return at the end of the program, which miss nothing.
func (s *searcher) offers(f *Finding) []string {
	methods := f.Methods
	if f.Method != "" {
		methods = []string{f.Method}
	}
	list := f.Seen.Expected.Explaining(methods, f.Seen.Violating)
	if len(list) == 0 {
		return list
	}
	e, seen := s.observed(f)
	if e == nil {
		return nil
	}
	return slices.DeleteFunc(e.Explaining(methods, seen), func(weak string) bool {
		method, level, _ := strings.Cut(weak, "=")
		return level == visibility.Weak.String() || !slices.ContainsFunc(list, func(l string) bool { return strings.HasPrefix(l, method+"=") })
	})
}

// observed runs the program of a finding with reading methods at its end. It returns the executions
// that violate, or nil if not all could be run. What else it finds is not reported.
func (s *searcher) observed(f *Finding) (*Expected, []Execution) {
	p, report, options, level := f.Seen.Expected.Program.clone(), &Report{}, s.options, 1
	observers := s.class.observers()
	p.Final = append(p.Final, observers...)
	s.starting(f.Method, p)
	options.Programs, options.Crashed = nil, nil
	options.Effort.Program = min(options.Effort.Program, f.Again())
	x := s.newExecutor(s.class, &options, report)
	if f.Scheduled != nil {
		level = min(max(1, f.Scheduled.Preemptions, f.Scheduled.Delays), x.Levels())
	}
	e, err := x.Expected(p)
	if err != nil || !e.Complete || len(observers) == 0 {
		return nil, nil
	}
	s.options.parallel()
	trial, err := x.Run(s.ctx, e, &Try{Level: level, Left: Effort{Time: s.left()}, All: true})
	if err != nil || report.Explored != nil && len(report.Account.Size(p).Complete) <= level {
		return nil, nil
	}
	return e, trial.Violating
}

// observers returns calls of the methods that only read, with two values for each.
func (c *Class) observers() (list []Invocation) {
	for _, m := range c.Methods {
		for n := range 2 {
			inv := Invocation{Method: m}
			for _, p := range m.Params {
				inv.Args = append(inv.Args, p.Some(n))
			}
			if m.ReadOnly && !m.Weak && len(list) < mostObservers && !slices.ContainsFunc(list, inv.equal) {
				list = append(list, inv)
			}
		}
	}
	return list
}
