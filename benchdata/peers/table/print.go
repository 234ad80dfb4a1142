package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadline/leadline/benchdata/peers"
)

// write prints all sections, and a description of the measurement.
func (b *bench) write(w io.Writer, sections []section) error {
	p := &printer{w: w}
	p.line("%s, %d processors, %s/%s, Go %s. CPU seconds (user and system) and largest resident set of a process that reads a file "+
		"in leadline's own format and checks it; leadline also verifies its witness or explains. Medians of %d runs in turns; "+
		"the ratio is porcupine's CPU time by leadline's, the median of the turns. Both are stopped after %v of CPU time or at %s.",
		processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, strings.TrimPrefix(runtime.Version(), "go"),
		b.repeat, b.limits.cpu, size(b.limits.memory))
	for _, s := range sections {
		p.line("\n### %s\n\n%s\n", s.title, s.note)
		if s.rows[0].source != "" {
			p.recorded(s.rows)
			continue
		}
		if s.title == formatTitle {
			p.formats(s.rows)
			continue
		}
		p.simulated(s)
	}
	p.growth(sections)
	return p.err
}

// processor returns the name of the processor, if available.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// A printer keeps the first write error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) table(lines [][]string) {
	for i, cells := range lines {
		p.line("| %s |", strings.Join(cells, " | "))
		if i == 0 {
			p.line("|%s", strings.Repeat("---|", len(cells)))
		}
	}
}

// simulated prints rows of simulated histories. If any row has special
// properties, there is a column for them.
func (p *printer) simulated(s section) {
	rows, faulty := s.rows, s.faulty()
	special := slices.ContainsFunc(rows, func(r *row) bool { return r.special() != "" })
	line := func(typ, n, threads, what, leadline, porcupine, ratio, relative string) []string {
		cells := []string{typ, n, threads}
		if special {
			cells = append(cells, what)
		}
		cells = append(cells, leadline, porcupine, ratio)
		if faulty {
			cells = append(cells, relative)
		}
		return cells
	}
	lines := [][]string{line("type", "n", "T", "", "leadline", "porcupine", "ratio", "leadline, by the linearizable one")}
	for _, r := range rows {
		w := &r.workload
		lines = append(lines, line(w.Model, strconv.Itoa(w.Ops), strconv.Itoa(w.Threads), r.special(),
			r.leadline.String(), r.porcupine.String(), r.ratio(), r.relative()))
	}
	p.table(lines)
}

// special describes the properties of a row besides type, n and T.
func (r *row) special() string {
	w := &r.workload
	var parts []string
	if w.Keys > 0 {
		parts = append(parts, fmt.Sprintf("%d keys", w.Keys))
	}
	if w.Fill > 0 {
		parts = append(parts, fmt.Sprintf("holds %d", w.Fill))
	}
	if w.Values > 0 {
		parts = append(parts, fmt.Sprintf("%d values", w.Values))
	}
	if w.Lost > 0 {
		parts = append(parts, fmt.Sprintf("%d lost", w.Lost))
	}
	if w.Mix.Update > 0 {
		parts = append(parts, "remove, cas")
	}
	for _, f := range w.Faults {
		parts = append(parts, f.String())
	}
	return strings.Join(parts, ", ")
}

// ratio returns porcupine's CPU time divided by leadline's, or a bound if one
// of the two was stopped.
func (r *row) ratio() string {
	ratios := slices.Sorted(slices.Values(r.ratios))
	if len(ratios) == 0 {
		return "-"
	}
	x := times(ratios[len(ratios)/2])
	switch {
	case r.leadline.undecided() && r.porcupine.undecided():
		return "-"
	case r.leadline.undecided():
		return "< " + x
	case r.porcupine.undecided():
		return "> " + x
	}
	return x
}

func times(x float64) string {
	if x < 10 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// relative is leadline's time for a faulty history divided by that for the same
// workload without the fault.
func (r *row) relative() string {
	if r.sound == nil || r.sound.leadline.cpu == 0 || r.leadline.undecided() {
		return ""
	}
	return times(r.leadline.cpu.Seconds() / r.sound.leadline.cpu.Seconds())
}

// formats prints rows of histories in other formats.
func (p *printer) formats(rows []*row) {
	lines := [][]string{{"format", "type", "n", "its file", "own format", "ratio", "by byte"}}
	file := func(c cost, bytes int64) string { return fmt.Sprintf("%v, %.1f MB", c, float64(bytes)/1e6) }
	for _, r := range rows {
		byByte := "-"
		if ratios := slices.Sorted(slices.Values(r.ratios)); len(ratios) > 0 && !r.leadline.undecided() && !r.native.undecided() {
			byByte = times(ratios[len(ratios)/2] * float64(r.nativeBytes) / float64(r.bytes))
		}
		lines = append(lines, []string{r.format, r.workload.Model, strconv.Itoa(r.workload.Ops), file(r.leadline, r.bytes),
			file(r.native, r.nativeBytes), r.ratio(), byByte})
	}
	p.table(lines)
}

func (p *printer) recorded(rows []*row) {
	p.line("From parsed histories to verdicts, in one process, in turns of %d histories; microseconds of CPU time per history.\n", peers.Batch)
	lines := [][]string{{"histories of", "histories", "operations", "leadline", "porcupine", "ratio"}}
	for _, r := range rows {
		each := func(d time.Duration) string {
			return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/1e3/float64(r.histories))
		}
		if r.skipped != "" {
			lines = append(lines, []string{r.source, r.skipped, "", "", "", ""})
			continue
		}
		lines = append(lines, []string{r.source, strconv.Itoa(r.histories), strconv.Itoa(r.ops), each(r.leadline.cpu), each(r.porcupine.cpu), r.ratio()})
	}
	p.table(lines)
}

// growth prints the increase from ten times as many operations, where both were
// measured.
func (p *printer) growth(sections []section) {
	const large = 1_000_000
	lines := [][]string{{"type", "T", "CPU time, times", "memory, times", "bytes per operation"}}
	for _, s := range sections {
		for _, big := range s.rows {
			for _, small := range s.rows {
				a, b := big.workload, small.workload
				if b.Ops *= 10; a.Ops != large || s.faulty() || big.format != small.format || a.String() != b.String() || big.leadline.undecided() || small.leadline.undecided() {
					continue
				}
				name := a.Model
				if big.format != "" {
					name += " in " + big.format
				}
				if special := big.special(); special != "" {
					name += ", " + special
				}
				lines = append(lines, []string{name, strconv.Itoa(a.Threads),
					times(big.leadline.cpu.Seconds() / small.leadline.cpu.Seconds()),
					times(float64(big.leadline.memory) / float64(small.leadline.memory)),
					strconv.FormatInt(big.leadline.memory/large, 10)})
			}
		}
	}
	if len(lines) > 1 {
		p.line("\n### From 100,000 to 1,000,000 operations\n\nleadline alone, from the tables above.\n")
		p.table(lines)
	}
}

// median takes the medians of time and memory separately. If a run was stopped,
// the result is the last run. Without runs it is zero.
func median(runs []cost) cost {
	if len(runs) == 0 {
		return cost{}
	}
	last := runs[len(runs)-1]
	if last.stopped != "" {
		return last
	}
	cpus := slices.SortedFunc(slices.Values(runs), func(a, b cost) int { return cmp.Compare(a.cpu, b.cpu) })
	sizes := slices.SortedFunc(slices.Values(runs), func(a, b cost) int { return cmp.Compare(a.memory, b.memory) })
	return cost{cpu: cpus[len(runs)/2].cpu, memory: sizes[len(runs)/2].memory, answers: last.answers}
}
