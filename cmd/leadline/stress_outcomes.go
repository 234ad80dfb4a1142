package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay/view"
)

// outcomes writes a table of the outcomes of each program.
func (r *stressReport) outcomes(result *stress.Report) {
	for n, program := range r.flags.Programs {
		t := outcomeTable(r.passes(result), n, program)
		fmt.Fprintf(r.out, "%s: %s\n", result.Subject, t.Title)
		r.table(t.Header, t.Rows)
	}
	for _, line := range r.accountOf(result) {
		fmt.Fprintln(r.out, line)
	}
}

// outcomesPage writes the page of the same tables.
func (r *stressReport) outcomesPage() {
	for _, result := range r.results {
		var tables []view.Table
		for n, program := range r.flags.Programs {
			tables = append(tables, outcomeTable(r.passes(result), n, program))
		}
		r.note(view.WriteTables(r.out, result.Subject, tables, r.accountOf(result)))
	}
}

// outcomeTable returns the outcomes of the n-th program. An outcome that calls one after another
// have is a line, also if it was never seen.
func outcomeTable(passes []*stress.Report, n int, program string) view.Table {
	header, rows, at := []string{"outcome"}, [][]string{}, map[string]int{}
	text := program
	for _, pass := range passes {
		if n >= len(pass.Outcomes) {
			continue
		}
		p := &pass.Outcomes[n]
		text = p.Program
		if pass.Explored == nil {
			header = append(header, "on threads")
		} else {
			header = append(header, "in schedules")
		}
		for i := range p.Outcomes {
			o := &p.Outcomes[i]
			k, known := at[o.Outcome]
			if !known {
				k = len(rows)
				at[o.Outcome] = k
				rows = append(rows, []string{o.Outcome})
			}
			for len(rows[k]) < len(header)-1 {
				rows[k] = append(rows[k], "0")
			}
			seen := strconv.FormatInt(o.Times, 10)
			if o.Violations > 0 && o.Violations < o.Times {
				seen += fmt.Sprintf(", %d against real time", o.Violations)
			}
			rows[k] = append(rows[k], seen)
		}
	}
	for k, row := range rows {
		for len(row) < len(header) {
			row = append(row, "0")
		}
		rows[k] = append(row, oneAfterAnother(passes, n, row[0]))
	}
	return view.Table{Title: text, Header: append(header, "one after another"), Rows: rows}
}

// oneAfterAnother returns the first order that has an outcome.
func oneAfterAnother(passes []*stress.Report, program int, outcome string) string {
	for _, pass := range passes {
		if program >= len(pass.Outcomes) {
			continue
		}
		list := pass.Outcomes[program].Outcomes
		i := slices.IndexFunc(list, func(o stress.SeenOutcome) bool { return o.Outcome == outcome })
		if i < 0 || len(list[i].Orders) == 0 {
			continue
		}
		text := list[i].Orders[0]
		if n := list[i].OrdersInAll; n > 1 {
			text += fmt.Sprintf(" (and %d more)", n-1)
		}
		return text
	}
	return "no order"
}
