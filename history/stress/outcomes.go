package stress

import (
	"fmt"
	"slices"
	"strings"
)

// ProgramOutcomes are the outcomes of a program: those that were seen, and those that calls one
// after another have (figures 2 to 4 of "Generating Tests of Observational Refinement for
// Concurrent Objects").
type ProgramOutcomes struct {
	Program    string        `json:"program"`
	Executions int64         `json:"executions"`
	Outcomes   []SeenOutcome `json:"outcomes"`
}

// A SeenOutcome is an outcome of a program, and how often it was seen, which may be never.
type SeenOutcome struct {
	Outcome string `json:"outcome"`
	Times   int64  `json:"times"`
	// Violations is how many of these executions no order explains. On threads, that some
	// order explains the outcome, but none that respects real time, is known of recorded ones
	// only.
	Violations int64 `json:"violations"`
	// Orders are the first of those in which invocations one after another have the outcome,
	// and OrdersInAll how many there are. In schedules, time may pass there as it does in executions.
	Orders      []string `json:"orders"`
	OrdersInAll int      `json:"orders_in_all"`
}

// shownOrders is how many orders a SeenOutcome has.
const shownOrders = 3

// countOutcomes runs a given program and counts its outcomes.
func (s *searcher) countOutcomes(p *Program) error {
	s.starting(s.blamed(p), p)
	s.report.Programs++
	e, err := s.fit(p)
	if err != nil {
		_, err = s.refused(p, err, 0)
		return err
	}
	s.options.parallel()
	try := s.attempt(0, s.executor.Levels())
	try.All = true
	trial, err := s.executor.Run(s.ctx, e, try)
	if err != nil {
		return err
	}
	if s.learn(e, trial, true); trial.Left {
		return nil
	}
	all := ProgramOutcomes{Program: p.String()}
	known := map[string]int{}
	at := func(o Outcome) *SeenOutcome {
		text := o.String()
		i, ok := known[text]
		if !ok {
			i = len(all.Outcomes)
			known[text] = i
			all.Outcomes = append(all.Outcomes, SeenOutcome{Outcome: text, Orders: []string{}})
		}
		return &all.Outcomes[i]
	}
	for i := range trial.Executed {
		all.Executions += trial.Executed[i].Times
		at(trial.Executed[i].Outcome).Times += trial.Executed[i].Times
	}
	for _, v := range trial.Violating {
		at(v.Outcome).Violations += v.Times
	}
	runs := trial.Runs
	if runs == nil {
		if runs, err = e.Runs.All(); err != nil {
			return err
		}
	}
	invocations := p.All()
	for _, r := range runs {
		o := at(r.Outcome)
		if o.OrdersInAll++; len(o.Orders) < shownOrders {
			o.Orders = append(o.Orders, inOrder(invocations, &r))
		}
	}
	slices.SortFunc(all.Outcomes, func(a, b SeenOutcome) int { return strings.Compare(a.Outcome, b.Outcome) })
	s.report.Outcomes = append(s.report.Outcomes, all)
	return nil
}

// inOrder writes a sequential run.
func inOrder(all []Invocation, r *SequentialRun) string {
	var list []string
	for _, i := range r.Order {
		list = append(list, fmt.Sprintf("%v = %s", all[i], short(r.Outcome[i])))
	}
	return strings.Join(list, "; ")
}
