package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// command writes the tables.
const command = "go run ./schedules -parts table"

func (r *results) tables() string {
	var b strings.Builder
	r.summary(&b)
	r.foundTable(&b)
	r.firstTable(&b)
	r.controlTable(&b)
	return b.String()
}

// summary writes the totals.
func (r *results) summary(b *strings.Builder) {
	found, replayed, elsewhere, rare, rareFound := 0, 0, 0, 0, 0
	for _, v := range r.violations {
		isRare := 10_000*v.Stress.Times < v.Stress.Executions
		rare += b2i(isRare)
		if h := v.Hunt; h != nil {
			found++
			rareFound += b2i(isRare)
			replayed += b2i(h.Replayed == 1000)
			elsewhere += b2i(h.Processes > 0 && h.Elsewhere == h.Processes)
		}
	}
	var last, all time.Duration
	programs, executions, steps, undecided, diverging := 0, int64(0), int64(0), int64(0), 0
	for _, e := range r.explored {
		if e.Kind != "object" {
			continue
		}
		for _, v := range r.violations {
			if v.Object == e.Object {
				last += e.Spent
				break
			}
		}
		all += e.Spent
		programs += e.Programs
		executions += e.Executions
		steps += e.Steps
		undecided += e.Undecided
		diverging += len(e.Diverging)
	}
	fmt.Fprintf(b, "- found: %d of the %d violations, and %d of the %d that stress shows in fewer than 1 of 10,000 executions;\n", found, len(r.violations), rareFound, rare)
	fmt.Fprintf(b, "- CPU: %.1f s for the objects that have some, and %.1f s for all objects;\n", last.Seconds(), all.Seconds())
	fmt.Fprintf(b, "- %d programs, %d executions, %.1f million steps; %d executions undecided, %d programs diverging;\n", programs, executions, float64(steps)/1e6, undecided, diverging)
	fmt.Fprintf(b, "- the same in 1000 of 1000 replays: %d; in each of the other processes: %d;\n", replayed, elsewhere)
	for _, line := range r.depths() {
		b.WriteString(line)
	}
	for _, f := range r.figures {
		fmt.Fprintf(b, "- %s: %s (%.2f s);\n", f.Name, f.Text, f.Spent.Seconds())
	}
	b.WriteString("\n")
}

// depths counts violations by preemptions and by their nearest linearizable relatives.
func (r *results) depths() []string {
	counts := map[string]int{}
	for _, v := range r.violations {
		if v.Hunt == nil || v.Nearest == nil {
			continue
		}
		needed := fmt.Sprintf("preemptions: %d", v.Hunt.Preemptions)
		if v.Hunt.Delays > 0 {
			needed = fmt.Sprintf("delays: %d", v.Hunt.Delays)
		}
		counts[fmt.Sprintf("- %s; results forgotten for the nearest relative: %d, its depth: %s; ", needed, v.Nearest.Forgotten, span(v.Nearest.Exact))]++
	}
	var lines []string
	for text, n := range counts {
		lines = append(lines, fmt.Sprintf("%s%d violations;\n", text, n))
	}
	slices.Sort(lines)
	return lines
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func code(text string) string { return "`" + strings.ReplaceAll(text, "|", `\|`) + "`" }

func (v *violation) name() string {
	if v.Method == "" {
		return "-"
	}
	return v.Method
}

// foundTable writes how each violation was found.
func (r *results) foundTable(b *strings.Builder) {
	b.WriteString("| object | method | reduced program | outcome | preemptions | programs | executions | CPU | on threads | stress |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, v := range r.violations {
		stress := fmt.Sprintf("%d/%d", v.Stress.Times, v.Stress.Executions)
		h := v.Hunt
		if h == nil {
			fmt.Fprintf(b, "| %s | %s | not found | | | | | | | %s |\n", v.Object, v.name(), stress)
			continue
		}
		outcome, preemptions, threads := code(h.Outcome), fmt.Sprint(h.Preemptions), "-"
		if h.RealTime {
			outcome += " (real time)"
		}
		if h.Delays > 0 {
			preemptions = fmt.Sprintf("%d delays", h.Delays)
		}
		if v.Threads != nil {
			threads = fmt.Sprintf("%d/%d", v.Threads.Times, v.Threads.Executions)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %d | %d | %.2f s | %s | %s |\n", v.Object, v.name(), code(h.Program), outcome, preemptions,
			h.Programs, h.Executions, h.Spent.Seconds(), threads, stress)
	}
	b.WriteString("\n")
}

func span(of [2]int) string {
	if of[0] == of[1] {
		return fmt.Sprint(of[0])
	}
	return fmt.Sprintf("%d to %d", of[0], of[1])
}

// firstTable writes the executions to the first violation.
func (r *results) firstTable(b *strings.Builder) {
	b.WriteString("| object | method |")
	for _, s := range strategies {
		fmt.Fprintf(b, " %s |", s.title)
	}
	b.WriteString("\n| --- | --- |" + strings.Repeat(" --- |", len(strategies)) + "\n")
	sums, finds := make([]float64, len(strategies)), make([]int, len(strategies))
	for _, v := range r.violations {
		if len(v.First) != len(strategies) {
			continue
		}
		fmt.Fprintf(b, "| %s | %s |", v.Object, v.name())
		for i, t := range v.First {
			fmt.Fprintf(b, " %s |", t.String())
			if t.Found > 0 && t.Found == t.Seeds {
				finds[i]++
				sums[i] += float64(t.ToFirst) / float64(t.Found)
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("| all that a strategy finds with every seed: number, mean | |")
	for i := range strategies {
		fmt.Fprintf(b, " %d, %.0f |", finds[i], sums[i]/float64(max(finds[i], 1)))
	}
	b.WriteString("\n\n")
}

// String returns the mean to the first violation, and how many seeds have one if some
// do not.
func (t *tried) String() string {
	switch {
	case t.Found == 0:
		return "none"
	case t.Found < t.Seeds:
		return fmt.Sprintf("%.0f (%d of %d)", float64(t.ToFirst)/float64(t.Found), t.Found, t.Seeds)
	}
	return fmt.Sprintf("%.0f", float64(t.ToFirst)/float64(t.Found))
}

// controlTable writes what was explored of controls and of broken twins.
func (r *results) controlTable(b *strings.Builder) {
	b.WriteString("| control | programs | to 1 preemption | to 2 | executions | CPU | violations |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, e := range r.explored {
		if e.Kind == "control" {
			fmt.Fprintf(b, "| %s | %d | %s | %s | %d | %.0f s | %d |\n", e.Object, e.Programs, e.complete(1), e.complete(2), e.Executions, e.Spent.Seconds(), len(e.Violations))
		}
	}
	b.WriteString("\n| broken twin | executions | CPU | violation |\n| --- | --- | --- | --- |\n")
	for _, e := range r.explored {
		if e.Kind == "twin" {
			what := "none"
			if len(e.Violations) > 0 {
				what = code(e.Violations[0])
			}
			fmt.Fprintf(b, "| %s | %d | %.2f s | %s |\n", e.Object, e.Executions, e.Spent.Seconds(), what)
		}
	}
}

func (e *explored) complete(bound int) string {
	if bound >= len(e.Complete) {
		return "-"
	}
	return fmt.Sprint(e.Complete[bound])
}
