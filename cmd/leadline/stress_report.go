package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay/report"
	"github.com/leadline/leadline/replay/stresstest"
	"github.com/olekukonko/tablewriter/tw"
)

// A stressRecord is a violation in the output of stress --output json.
type stressRecord struct {
	Kind string `json:"kind"` // "violation"
	*stress.Finding
	File *string `json:"file"`
}

// A stressSummary is the last line of an object there.
type stressSummary struct {
	Kind string `json:"kind"` // "object"
	*stress.Report
	Before []*stress.Report `json:"before,omitempty"` // the passes before, see stress.Both
}

// A stressReport shows violations as they come, and finally two tables: one of
// violations and one of methods. They are like Tables 1 and 2 and Figure 6 of
// "Exposing Non-Atomic Methods of Concurrent Objects".
type stressReport struct {
	streams
	out     *bufio.Writer
	flags   *stressFlags
	results []*stress.Report
	objects map[*stress.Report]object
	before  map[*stress.Report][]*stress.Report // of the passes before, see stress.Both
	saved   *savedViolation                     // the first of the object that is tested
	err     error
}

func newStressReport(s streams, f *stressFlags) *stressReport {
	return &stressReport{streams: s, out: bufio.NewWriter(s.out), flags: f, objects: map[*stress.Report]object{}, before: map[*stress.Report][]*stress.Report{}}
}

// found shows a violation and saves it.
func (r *stressReport) found(o *object, f *stress.Finding) {
	f.Subject = o.name
	again := []string{r.again(o, f)}
	file := r.save(o, f, again)
	switch {
	case file == "" || o.path == "":
	case r.saved == nil:
		r.saved = &savedViolation{f, file}
	default:
		again = append(again, "For a Go test: "+r.command(o, f.Program, 0, ""))
	}
	if r.flags.output.Value == "json" {
		shown := *f
		shown.GoTest = nil
		r.note(writeJSON(r.out, &stressRecord{"violation", &shown, present(file)}))
		r.note(r.out.Flush())
		return
	}
	blamed := f.Subject
	if f.Method != "" && !f.Unsynchronised {
		blamed += "." + f.Method
	}
	fmt.Fprintf(r.out, "%s %s: %s\n", blamed, f.Says(), f.Program)
	kind := "answered"
	if f.RealTime {
		kind = "answered, against real time,"
	}
	possible := "one after another"
	if f.Level != "" {
		possible = "expected"
	}
	fmt.Fprintf(r.out, "  %s %s %s; %s:", kind, f.Outcome, f.In(), possible)
	const shown = 6
	for i, e := range f.Expected {
		if i == shown {
			fmt.Fprintf(r.out, " and %d more", len(f.Expected)-shown)
			break
		}
		fmt.Fprintf(r.out, "  %s", e.Outcome)
	}
	fmt.Fprintln(r.out)
	if line := f.Explained("--weak %s"); line != "" {
		fmt.Fprintf(r.out, "  %s\n", line)
	}
	var drawn strings.Builder
	if err := stresstest.WriteTimeline(&drawn, f); err != nil {
		fmt.Fprintf(&drawn, "the history cannot be drawn: %v\n", err)
	}
	for line := range strings.Lines(drawn.String()) {
		fmt.Fprintf(r.out, "    %s", line)
	}
	if f.Scheduled != nil {
		again = append(explored(f), again...)
	}
	for _, line := range []string{f.Variations.String(), f.Unfinished()} {
		if line != "" {
			again = slices.Insert(again, 0, line)
		}
	}
	isCall := func(line string) bool { return !strings.HasPrefix(line, "a goroutine ") } // which the timeline has
	for _, line := range slices.Concat(slices.DeleteFunc(slices.Clone(f.Waiting), isCall), again) {
		fmt.Fprintf(r.out, "  %s\n", line)
	}
	if file != "" {
		fmt.Fprintf(r.out, "  saved as %s\n", file)
	}
	fmt.Fprintln(r.out)
	r.note(r.out.Flush())
}

// program returns the shell command that ran this process: as it was typed or, if the go command
// built the program for this run, as stresstest.Program finds it.
func program() string {
	file, err := os.Executable()
	switch {
	case err != nil || strings.TrimSuffix(filepath.Base(file), ".exe") != "leadline": // in a test
		return "leadline"
	case strings.Contains(file, "go-build"): // a cache, or a temporary directory of go run
		return stresstest.Program()
	}
	return report.ShellWord(os.Args[0])
}

// again returns the command that reproduces a violation.
func (r *stressReport) again(o *object, f *stress.Finding) string {
	if f.Scheduled != nil {
		return fmt.Sprintf("To replay: %s replay %s --program %s %s", program(), r.flags.named(o), report.ShellWord(f.Program), report.ShellWord(f.Scheduled.Schedule))
	}
	return "To reproduce: " + r.command(o, f.Program, f.Again(), " --threads")
}

// command returns the command that runs a program for the given time, with more flags.
func (r *stressReport) command(o *object, test string, time time.Duration, more string) string {
	command := fmt.Sprintf("%s stress %s%s%s --program %s", program(), o.how, designations(&o.reflect), more, report.ShellWord(test))
	if time > stress.DefaultEffort.Program {
		command += " --run " + time.String()
	}
	return command
}

// crashRun times the time of a program is how long it runs to reproduce a crash.
const crashRun = 20

// crashed shows a program that ended its process and saves it.
func (r *stressReport) crashed(o *object, took time.Duration, c *stress.Crash) {
	if r.flags.output.Value == "json" {
		return // the summary has it
	}
	lines := []string{"To reproduce: " + r.command(o, c.Program, crashRun*took, "")}
	if c.Sequential {
		lines = slices.Insert(lines, 0, "This happened in a sequential run, without concurrent calls.")
	}
	lines = append(lines, strings.FieldsFunc(c.Stack, func(c rune) bool { return c == '\n' })...)
	text := fmt.Sprintf("# %s: %s\n# %s\n", o.name, c.Program, strings.Join(lines, "\n# "))
	base := fileName(o.name)
	if c.Method != "" {
		base += "-" + fileName(c.Method)
	}
	fmt.Fprintf(r.out, "%s: %s: %s\n", o.name, c.What, c.Program)
	for _, line := range lines {
		fmt.Fprintf(r.out, "  %s\n", line)
	}
	if file := r.create(base+"-crash", ".txt", text+c.Program+"\n"); file != "" {
		fmt.Fprintf(r.out, "  saved as %s\n", file)
	}
	fmt.Fprintln(r.out)
	r.note(r.out.Flush())
}

func (r *stressReport) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

// designations returns the flags that describe the methods.
func designations(of *stress.ReflectOptions) string {
	text := ""
	for _, d := range []struct {
		name    string
		methods []string
	}{{"core", of.Core}, {"read-only", of.ReadOnly}, {"weak", of.Weak}, {"exclude", of.Exclude}} {
		if len(d.methods) > 0 {
			text += " --" + d.name + " " + report.ShellWord(strings.Join(d.methods, ","))
		}
	}
	return text
}

// save writes a violation's program and history to a file, with the commands that
// reproduce it, and returns the name of the file.
func (r *stressReport) save(o *object, f *stress.Finding, again []string) string {
	base := fileName(f.Subject)
	if f.Method != "" {
		base += "-" + fileName(f.Method)
	}
	var text strings.Builder
	if f.Fault != "" {
		fmt.Fprintf(&text, "# %s.%s %s\n", f.Subject, f.Method, f.Says())
	}
	fmt.Fprintf(&text, "# %s: %s\n# outcome: %s, %s\n", f.Subject, f.Program, f.Outcome, f.In())
	for _, e := range f.Expected {
		fmt.Fprintf(&text, "# expected: %s\n", e.Outcome)
	}
	for _, line := range append(f.Waiting, f.Explained("--weak %s")) {
		if line != "" {
			fmt.Fprintf(&text, "# %s\n", line)
		}
	}
	if f.Scheduled != nil {
		text.WriteString(f.ScheduleComments(r.flags.named(o)))
		again = append(explored(f)[1:], again...)
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
	return r.create(base, ".jsonl", text.String())
}

// create writes a file of a new name and returns the name, or "" if nothing is
// saved.
func (r *stressReport) create(base, extension, text string) string {
	if r.flags.save == "" {
		return ""
	}
	if err := os.MkdirAll(r.flags.save, 0o755); err != nil {
		r.note(unsaved(err))
		return ""
	}
	for n := 1; ; n++ {
		file := filepath.Join(r.flags.save, base+"-"+strconv.Itoa(n)+extension)
		w, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if os.IsExist(err) {
			continue
		}
		if err == nil {
			_, err = w.WriteString(text)
		}
		if err == nil {
			err = w.Close()
		}
		r.note(unsaved(err))
		return file
	}
}

// unsaved adds to the error of a write below --save what helps.
func unsaved(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("a violation could not be saved: %w; --save names another directory", err)
}

// fileName replaces all but letters, digits and dots.
func fileName(name string) string {
	return strings.Trim(strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.':
			return c
		}
		return '_'
	}, name), "_")
}

// finish writes the tables.
func (r *stressReport) finish() error {
	if r.flags.output.Value == "json" {
		for _, result := range r.results {
			r.note(writeJSON(r.out, &stressSummary{"object", result, r.before[result]}))
		}
	} else if r.flags.output.Value == "html" {
		r.outcomesPage()
	} else if r.flags.Outcomes {
		for _, result := range r.results {
			r.outcomes(result)
		}
	} else {
		r.violations()
		r.methods()
		for _, result := range r.results {
			r.account(result)
		}
	}
	r.note(r.out.Flush())
	return r.err
}

func (r *stressReport) table(header []string, rows [][]string) {
	rows = append([][]string{header}, rows...)
	r.note(writeTable(r.out, rows, false, terminalWidth(r.streams.out), tw.AlignLeft))
}

// violations writes the table of violations and crashes.
func (r *stressReport) violations() {
	var rows [][]string
	for _, result := range r.results {
		for _, f := range result.Findings {
			explored := strconv.Itoa(f.Explored)
			if f.Generated > 0 {
				explored += "/" + strconv.Itoa(f.Generated)
			}
			rows = append(rows, []string{f.Subject, blamedIn(result, f), fmt.Sprintf("%d,%d,%d", f.Rank[0], f.Rank[1], f.Rank[2]), explored, f.Program, f.Outcome,
				fmt.Sprintf("%d/%d", f.Times, f.Executions), f.Elapsed.Round(10 * time.Millisecond).String()})
		}
		for _, c := range result.Crashes {
			rows = append(rows, []string{result.Subject, c.Method, "", "", c.Program, c.What, "", ""})
		}
	}
	if len(rows) > 0 {
		r.table([]string{"object", "method", "i,s,v", "programs", "program", "outcome", "frequency", "after"}, rows)
		fmt.Fprintln(r.out)
	}
}

// blamedIn returns the method to blame as the tables have it, or the methods that are not
// atomic together: the core, if the object has one.
func blamedIn(result *stress.Report, f *stress.Finding) string {
	switch together := strings.Join(f.Methods, " "); {
	case f.Method != "":
		return f.Method
	case len(result.Core) > 0:
		return "(core: " + together + ")"
	default:
		return "(" + together + ")"
	}
}

// methods writes the table of the methods.
func (r *stressReport) methods() {
	var rows [][]string
	for _, result := range r.results {
		nonAtomic := slices.Clone(result.NonAtomic)
		for _, f := range result.Findings {
			if f.Method == "" {
				nonAtomic = append(nonAtomic, blamedIn(result, f))
			}
		}
		o := r.objects[result]
		rows = append(rows, []string{result.Subject, strings.Join(result.Core, " "), o.withLevels(result.Atomic), o.withLevels(nonAtomic), strings.Join(result.Weak, " ")})
	}
	if len(rows) > 0 {
		r.table([]string{"object", "core", "atomic (?)", "not atomic", "weak"}, rows)
	}
}

// withLevels joins the names of methods, each with the level that --weak gives it.
func (o *object) withLevels(names []string) string {
	_, levels, _ := o.reflect.Levels()
	var list []string
	for _, name := range names {
		if level, ok := levels[name]; ok {
			name += "=" + level.String()
		}
		list = append(list, name)
	}
	return strings.Join(list, " ")
}

// account writes what was tried of an object, what was left out, and how it ended.
func (r *stressReport) account(result *stress.Report) {
	lines := r.accountOf(result)
	line, nothing := stress.NotExercised(r.passes(result))
	ending := result.Ending()
	if !nothing {
		ending = cmp.Or(result.Passed(), ending)
	}
	lines = slices.DeleteFunc(append(lines, line, ending), func(line string) bool { return line == "" })
	fmt.Fprintf(r.out, "%s: %s\n", result.Subject, strings.Join(lines, "\n  "))
}

// passes returns the reports of all passes.
func (r *stressReport) passes(result *stress.Report) []*stress.Report {
	return append(slices.Clone(r.before[result]), result)
}

// accountOf returns lines about what was tried, and what was left out.
func (r *stressReport) accountOf(result *stress.Report) []string {
	lines := stress.Tried(r.passes(result))
	for _, o := range result.Account.LeftOut {
		lines = append(lines, "left out: "+o.String())
	}
	return lines
}
