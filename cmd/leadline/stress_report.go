package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/stress"
	"github.com/olekukonko/tablewriter/tw"
)

// A stressReport shows what was found: violations as they come, and in the
// end a table of them, like Tables 1 and 2 of "Exposing Non-Atomic Methods of
// Concurrent Objects", and one of all methods, like its Figure 6.
type stressReport struct {
	streams
	out     *bufio.Writer
	flags   *stressFlags
	results []stressResult
	err     error
}

type stressResult struct {
	*target
	*stress.Supervised
}

func newStressReport(s streams, f *stressFlags) *stressReport {
	return &stressReport{streams: s, out: bufio.NewWriter(s.out), flags: f}
}

// found shows a violation and saves it.
func (r *stressReport) found(t *target, f stress.Found) {
	f.Subject = t.name
	again := r.again(t, &f)
	file := r.save(t, &f, again)
	if r.flags.output.value == "json" {
		r.note(writeJSON(r.out, newStressRecord(&f, file)))
		r.note(r.out.Flush())
		return
	}
	blamed := t.name
	if f.Method != "" {
		blamed += "." + f.Method
	}
	fmt.Fprintf(r.out, "%s is not atomic: %s\n", blamed, f.Program)
	kind := "answered"
	if f.RealTime {
		kind = "answered, against real time,"
	}
	fmt.Fprintf(r.out, "  %s %s in %d of %d executions; one after another:", kind, f.Outcome, f.Times, f.Runs)
	const shown = 6
	for i, e := range f.Expected {
		if i == shown {
			fmt.Fprintf(r.out, " and %d more", len(f.Expected)-shown)
			break
		}
		fmt.Fprintf(r.out, "  %s", e.Outcome)
	}
	fmt.Fprintln(r.out)
	for _, line := range again {
		fmt.Fprintf(r.out, "  %s\n", line)
	}
	if file != "" {
		fmt.Fprintf(r.out, "  saved as %s\n", file)
	}
	fmt.Fprintln(r.out)
	r.note(r.out.Flush())
}

// again tells what commands show a violation once more.
func (r *stressReport) again(t *target, f *stress.Found) []string {
	command := fmt.Sprintf("leadline stress %s%s --program %s", t.how, designations(&t.reflect), shellQuote(f.Program))
	lines := []string{"To reproduce: " + command}
	if !r.flags.reduce {
		lines = append(lines, "To reduce: "+command+" --reduce")
	}
	return lines
}

func (r *stressReport) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

// designations are the flags that say what the methods are.
func designations(of *stress.Designations) string {
	text := ""
	for _, d := range []struct {
		name    string
		methods []string
	}{{"core", of.Core}, {"read-only", of.ReadOnly}, {"weak", of.Weak}, {"exclude", of.Exclude}} {
		if len(d.methods) > 0 {
			text += " --" + d.name + " " + strings.Join(d.methods, ",")
		}
	}
	return text
}

// save writes a violation's program and history into a file, which it
// returns, and how to see it again.
func (r *stressReport) save(t *target, f *stress.Found, again []string) string {
	if r.flags.save == "" {
		return ""
	}
	if err := os.MkdirAll(r.flags.save, 0o755); err != nil {
		r.note(err)
		return ""
	}
	base := fileName(t.name)
	if f.Method != "" {
		base += "-" + fileName(f.Method)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# %s: %s\n# outcome: %s, in %d of %d executions\n", t.name, f.Program, f.Outcome, f.Times, f.Runs)
	for _, e := range f.Expected {
		fmt.Fprintf(&text, "# expected: %s\n", e.Outcome)
	}
	if f.Recorded {
		text.WriteString("# as recorded\n")
	} else {
		text.WriteString("# of real time only the order within sequences is known\n")
	}
	for _, line := range again {
		fmt.Fprintf(&text, "# %s\n", line)
	}
	text.WriteString(f.History)
	for n := 1; ; n++ {
		file := filepath.Join(r.flags.save, base+"-"+strconv.Itoa(n)+".jsonl")
		w, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if os.IsExist(err) {
			continue
		}
		if err == nil {
			_, err = w.WriteString(text.String())
		}
		if err == nil {
			err = w.Close()
		}
		r.note(err)
		return file
	}
}

// fileName leaves letters and digits of a name.
func fileName(name string) string {
	return strings.Trim(strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.':
			return c
		}
		return '_'
	}, name), "_")
}

// add keeps the result of an object.
func (r *stressReport) add(t *target, result *stress.Supervised) {
	r.results = append(r.results, stressResult{target: t, Supervised: result})
}

// finish writes the tables.
func (r *stressReport) finish() error {
	if r.flags.output.value == "json" {
		for _, result := range r.results {
			r.note(writeJSON(r.out, newStressSummary(&result)))
		}
	} else {
		r.violations()
		r.methods()
		for _, result := range r.results {
			r.remarks(&result)
		}
	}
	r.note(r.out.Flush())
	return r.err
}

func (r *stressReport) table(header []string, rows [][]string) {
	t := newTable(r.out, tw.CellAlignment{Global: tw.AlignLeft})
	t.Header(header)
	r.note(t.Bulk(rows))
	r.note(t.Render())
}

// violations writes the table of what was found.
func (r *stressReport) violations() {
	var rows [][]string
	for _, result := range r.results {
		for _, f := range result.Found {
			explored := strconv.Itoa(f.Explored)
			if f.Generated > 0 {
				explored += "/" + strconv.Itoa(f.Generated)
			}
			rows = append(rows, []string{result.name, textOrDash(f.Method), fmt.Sprintf("%d,%d,%d", f.Rank[0], f.Rank[1], f.Rank[2]), explored, f.Program, f.Outcome,
				fmt.Sprintf("%d/%d", f.Times, f.Runs), f.Elapsed.Round(10 * time.Millisecond).String()})
		}
		for _, c := range result.Crashes {
			rows = append(rows, []string{result.name, textOrDash(c.Method), "", "", c.Program, c.What, "", ""})
		}
	}
	if len(rows) > 0 {
		r.table([]string{"object", "method", "i,s,v", "programs", "program", "outcome", "frequency", "after"}, rows)
		fmt.Fprintln(r.out)
	}
}

func textOrDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// methods writes the table of what the methods are.
func (r *stressReport) methods() {
	var rows [][]string
	for _, result := range r.results {
		guilty := result.NonAtomic
		if slices.ContainsFunc(result.Found, func(f stress.Found) bool { return f.Method == "" }) {
			guilty = slices.Insert(slices.Clone(guilty), 0, "-")
		}
		rows = append(rows, []string{result.name, strings.Join(result.Core, " "), strings.Join(result.Atomic, " "),
			strings.Join(guilty, " "), strings.Join(result.Weak, " ")})
	}
	r.table([]string{"object", "core", "atomic (?)", "not atomic", "weak"}, rows)
}

// remarks writes how much was done, and what else there is to know.
func (r *stressReport) remarks(result *stressResult) {
	seconds := result.Elapsed.Seconds()
	fmt.Fprintf(r.out, "%s: %d programs, %d executions, %.2g a second, %.0f %% of those recorded overlapped, %v\n", result.name, result.Programs,
		result.Executions, float64(result.Executions)/seconds, 100*result.Overlap, result.Elapsed.Round(10*time.Millisecond))
	for _, l := range result.LeftOut {
		fmt.Fprintf(r.out, "  left out: %s: %s\n", l.Method, l.Reason)
	}
	if n := len(result.Unsteady); n > 0 {
		fmt.Fprintf(r.out, "  %s answered differently from one sequential run to the next, as %s\n", counted(n, "program", "programs"), result.Unsteady[0])
	}
}

// A historiesFile takes recorded executions.
type historiesFile struct {
	file *os.File
	w    io.WriteCloser // to the file, compressing
	err  error
}

// newHistoriesFile creates the file; with no name nothing is kept.
func newHistoriesFile(name string) (*historiesFile, error) {
	if name == "" {
		return &historiesFile{}, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	w, err := codec.Compress(file, name)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &historiesFile{file: file, w: w}, nil
}

func (h *historiesFile) add(text string) {
	if h.w != nil && h.err == nil {
		_, h.err = io.WriteString(h.w, text)
	}
}

func (h *historiesFile) close() error {
	if h.w == nil {
		return nil
	}
	return errors.Join(h.err, h.w.Close(), h.file.Close())
}
