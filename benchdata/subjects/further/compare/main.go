// Command compare explores schedules of the objects of further.txt and stresses them
// on real threads, and writes the table of ../../README.md.
//
// In the directory of further.txt, this tests all objects without results, or those
// that are named, and adds to further/results.jsonl:
//
//	go run ./further/compare
//
// With -schedules or -stress, only one of the two is done. To write the table from the
// file of results:
//
//	go run ./further/compare -table
//
// further/packages.txt has the package of each object, and further/explanations.txt
// the line of the library's source that explains each violation.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/leadline/leadline/benchdata/subjects/internal/list"
	"github.com/leadline/leadline/benchdata/subjects/internal/tables"
)

const (
	listFile         = "further.txt"
	packagesFile     = "further/packages.txt"
	explanationsFile = "further/explanations.txt"
	resultsFile      = "further/results.jsonl"
	readmeFile       = "README.md"
)

func main() {
	table := flag.Bool("table", false, "only write the table of the README from the results")
	schedules := flag.String("schedules", "", "explore schedules for this `time`, and do not stress")
	stress := flag.String("stress", "", "stress for this `time`, and do not explore schedules")
	flag.Parse()
	times := map[string]string{"schedules": *schedules, "stress": *stress}
	if *schedules == "" && *stress == "" {
		times = map[string]string{"schedules": "10s", "stress": "20s"}
	}
	if *table {
		times = nil
	}
	if err := run(flag.Args(), times); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(names []string, times map[string]string) error {
	objects, err := readObjects()
	if err != nil {
		return err
	}
	results, err := readResults()
	if err != nil {
		return err
	}
	if times != nil {
		if err := test(objects, names, times, results); err != nil {
			return err
		}
	}
	explanations, err := readExplanations()
	if err != nil {
		return err
	}
	return tables.WriteTables(readmeFile, command, tableOf(objects, results, explanations))
}

// An object is a line of further.txt, with its line of packages.txt.
type object struct {
	name, path string // path is its package
	flags      []string
}

func readObjects() ([]object, error) {
	packages, err := readFields(packagesFile, " ", 2)
	if err != nil {
		return nil, err
	}
	lines, err := list.Read(listFile)
	if err != nil {
		return nil, err
	}
	var all []object
	for _, line := range lines {
		i := slices.IndexFunc(packages, func(p []string) bool { return p[0] == line.Name })
		if i < 0 {
			return nil, fmt.Errorf("%s: %q has no package", packagesFile, line.Name)
		}
		all = append(all, object{line.Name, packages[i][1], line.Flags})
	}
	return all, nil
}

// readFields returns the fields of each line of a file.
func readFields(file, separator string, n int) ([][]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all [][]string
	line := 0
	for s := range strings.Lines(string(text)) {
		line++
		fields := strings.SplitN(strings.TrimSuffix(s, "\n"), separator, n)
		if len(fields) != n {
			return nil, fmt.Errorf("%s:%d: expected %d fields", file, line, n)
		}
		all = append(all, fields)
	}
	return all, nil
}

// A key names a violation: an object and the method that is to blame.
type key struct{ object, method string }

func readExplanations() (map[key]string, error) {
	list, err := readFields(explanationsFile, " | ", 3)
	m := map[key]string{}
	for _, f := range list {
		m[key{f[0], f[1]}] = f[2]
	}
	return m, err
}

// A result is a line of results.jsonl.
type result struct {
	Object    string `json:"object"`
	Module    string `json:"module"`
	Schedules *side  `json:"schedules"`
	Stress    *side  `json:"stress"`
}

// A side is what leadline stress reports with or without schedules.
type side struct {
	CPU        float64     `json:"cpu_s"` // of all processes, the build included
	Elapsed    float64     `json:"elapsed_s"`
	Programs   int         `json:"programs"`
	Executions int64       `json:"executions"`
	Explored   *explored   `json:"explored,omitempty"`
	Crashes    []crash     `json:"crashes,omitempty"`
	Notes      []string    `json:"notes,omitempty"` // what leadline writes to stderr: what is not instrumented
	Violations []violation `json:"violations"`
}

// explored is what leadline says of schedules; see stress.Explored.
type explored struct {
	Complete  []int    `json:"complete"`
	ByDelays  int      `json:"by_delays"`
	Steps     int64    `json:"steps"`
	Cut       int64    `json:"cut"`
	Undecided int64    `json:"undecided"`
	Diverging []string `json:"diverging"`
}

type crash struct {
	Method  string `json:"method"`
	Program string `json:"program"`
	What    string `json:"what"`
}

type violation struct {
	Method     string     `json:"method"`
	Program    string     `json:"program"`
	Outcome    string     `json:"outcome"`
	RealTime   bool       `json:"real_time"`
	Times      int64      `json:"times"`
	Executions int64      `json:"executions"`
	Explored   int        `json:"explored"` // programs until then
	Elapsed    float64    `json:"elapsed_s"`
	Scheduled  *scheduled `json:"scheduled,omitempty"`
}

type scheduled struct {
	Schedule         string `json:"schedule"`
	Preemptions      int    `json:"preemptions"`
	Delays           int    `json:"delays"`
	Execution        int64  `json:"execution"`
	OnThreads        int64  `json:"on_threads"`
	ThreadExecutions int64  `json:"thread_executions"`
}

func readResults() (map[string]*result, error) {
	return tables.Read(resultsFile, func(r *result) string { return r.Object })
}

func test(objects []object, names []string, times map[string]string, results map[string]*result) error {
	leadline, remove, err := list.BuildLeadline()
	if err != nil {
		return err
	}
	defer remove()
	for _, o := range objects {
		r := results[o.name]
		if r == nil {
			r = &result{Object: o.name}
		}
		if len(names) > 0 && !slices.Contains(names, o.name) {
			continue
		}
		var failed error
		if time := times["stress"]; time != "" && (r.Stress == nil || len(names) > 0) {
			r.Stress, failed = o.leadline(leadline, "--time", time)
		}
		if time := times["schedules"]; failed == nil && time != "" && (r.Schedules == nil || len(names) > 0) {
			r.Schedules, failed = o.leadline(leadline, "--time", time, "--schedules")
		}
		if failed != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", o.name, failed)
			continue
		}
		if r.Module, err = module(o.path); err != nil {
			return err
		}
		results[o.name] = r
		if err := writeResults(objects, results); err != nil {
			return err
		}
	}
	return nil
}

// leadline runs leadline stress.
func (o *object) leadline(leadline string, flags ...string) (*side, error) {
	cmd := exec.Command(leadline, slices.Concat([]string{"stress", "--save", "", "--output", "json"}, o.flags, flags)...)
	var notes strings.Builder
	cmd.Stderr = &notes
	text, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, notes.String())
	}
	s := &side{CPU: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), Violations: []violation{}}
	if text := strings.TrimSpace(notes.String()); text != "" {
		s.Notes = strings.Split(text, "\n")
	}
	for line := range bytes.Lines(text) {
		if err := s.add(line); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// add adds a line of leadline's output.
func (s *side) add(line []byte) error {
	var kind struct {
		Kind    string  `json:"kind"`
		Elapsed float64 `json:"elapsed_ns"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return err
	}
	elapsed := kind.Elapsed / 1e9
	switch kind.Kind {
	case "violation":
		v := violation{}
		if err := json.Unmarshal(line, &v); err != nil {
			return err
		}
		v.Elapsed = elapsed
		s.Violations = append(s.Violations, v)
	case "object":
		if err := json.Unmarshal(line, s); err != nil {
			return err
		}
		s.Elapsed = elapsed
	}
	return nil
}

// module returns the module of a package and its version.
func module(path string) (string, error) {
	text, err := exec.Command("go", "list", "-f", "{{.Module.Path}} {{.Module.Version}}", path).Output()
	return strings.TrimSpace(string(text)), err
}

func writeResults(objects []object, results map[string]*result) error {
	var all []any
	for _, o := range objects {
		if r := results[o.name]; r != nil {
			all = append(all, r)
		}
	}
	return tables.Write(resultsFile, all)
}

// command writes the table.
const command = "go run ./further/compare -table"

// tableOf writes a row for each violation, and the objects without one.
func tableOf(objects []object, results map[string]*result, explanations map[key]string) string {
	var b strings.Builder
	fmt.Fprintln(&b, "| object | module | method | program | preemptions | schedule | threads | stress | explanation |")
	fmt.Fprintln(&b, "| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	var without []string
	for _, o := range objects {
		r := results[o.name]
		if r == nil {
			continue
		}
		methods := r.methods()
		if len(methods) == 0 {
			without = append(without, o.name)
		}
		for _, method := range methods {
			scheduled, stressed := r.Schedules.of(method), r.Stress.of(method)
			preemptions, schedule, threads, frequency := "not found", "-", "-", "-"
			if s := scheduled; s != nil && s.Scheduled != nil {
				preemptions, schedule = fmt.Sprint(s.Scheduled.Preemptions), fmt.Sprint(s.Scheduled.Execution)
				if s.Scheduled.Delays > 0 {
					preemptions = fmt.Sprintf("%d delays", s.Scheduled.Delays)
				}
				threads = fmt.Sprintf("%d/%d", s.Scheduled.OnThreads, s.Scheduled.ThreadExecutions)
			}
			if stressed != nil {
				frequency = fmt.Sprintf("%d/%d", stressed.Times, stressed.Executions)
			}
			var program string
			if v := cmp.Or(scheduled, stressed); v != nil {
				program = v.Program
			} else {
				c := r.Stress.crash(method)
				program, frequency = c.Program, c.What
			}
			fmt.Fprintf(&b, "| %s | %s | %s | `%s` | %s | %s | %s | %s | %s |\n", o.name, r.Module, cmp.Or(method, "-"), strings.ReplaceAll(program, "|", "\\|"),
				preemptions, schedule, threads, frequency, cmp.Or(explanations[key{o.name, cmp.Or(method, "-")}], "-"))
		}
	}
	fmt.Fprintf(&b, "\nNo violation: %s.\n", strings.Join(without, ", "))
	return b.String()
}

// methods returns the methods with violations, or crashes on real threads.
func (r *result) methods() []string {
	var list []string
	for _, s := range []*side{r.Schedules, r.Stress} {
		if s == nil {
			continue
		}
		for _, v := range s.Violations {
			if !slices.Contains(list, v.Method) {
				list = append(list, v.Method)
			}
		}
	}
	if r.Stress != nil {
		for _, c := range r.Stress.Crashes {
			if !slices.Contains(list, c.Method) {
				list = append(list, c.Method)
			}
		}
	}
	slices.Sort(list)
	return list
}

// crash returns the first crash of a method.
func (s *side) crash(method string) *crash {
	i := slices.IndexFunc(s.Crashes, func(c crash) bool { return c.Method == method })
	return &s.Crashes[i]
}

// of returns the first violation of a method, or nil.
func (s *side) of(method string) *violation {
	if s == nil {
		return nil
	}
	for i := range s.Violations {
		if s.Violations[i].Method == method {
			return &s.Violations[i]
		}
	}
	return nil
}
