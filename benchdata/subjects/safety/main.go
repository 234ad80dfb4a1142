// Command safety tests the types of types.txt with leadline stress --oracle safety, and
// writes the table of ../README.md.
//
// In the directory above, this tests all types and adds to results.jsonl. That takes
// about half an hour:
//
//	go run ./safety
//
// Names of types may follow; their earlier results are replaced. The column of data
// races is from runs of its own, which -race adds. To write the table from the file of
// results:
//
//	go run ./safety -table
//
// Each line of types.txt has the name of a type, its constructor, whether its
// documentation calls it safe or unsafe for concurrent use, flags of leadline, and the
// line of the library's source that explains what was found.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/leadline/leadline/benchdata/subjects/internal/list"
	"github.com/leadline/leadline/benchdata/subjects/internal/tables"
)

func main() {
	table := flag.Bool("table", false, "only write the table of the README from the results")
	race := flag.Bool("race", false, "only count tests with data races, of types that have results")
	duration := flag.String("time", "30s", "how long each type is tested")
	flag.Parse()
	if err := run(flag.Args(), *table, *race, *duration); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(names []string, table, race bool, duration string) error {
	const typesFile, resultsFile, readme = "safety/types.txt", "safety/results.jsonl", "README.md"
	types, err := readTypes(typesFile)
	if err != nil {
		return err
	}
	results, err := readResults(resultsFile)
	if err != nil {
		return err
	}
	if !table {
		if err := test(types, names, race, duration, results, resultsFile); err != nil {
			return err
		}
	}
	return tables.WriteTables(readme, command, tableOf(types, results))
}

// A subject is a line of types.txt.
type subject struct {
	name, constructor, documented string
	flags                         []string
	explanation                   string
}

func readTypes(file string) ([]subject, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []subject
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.SplitN(line, " | ", 5)
		if len(cells) != 5 || !slices.Contains([]string{"safe", "unsafe", "silent"}, cells[2]) {
			return nil, fmt.Errorf("%s:%d: expected a name, a constructor, safe, unsafe or silent, flags and an explanation", file, i+1)
		}
		list = append(list, subject{cells[0], cells[1], cells[2], strings.Fields(cells[3]), strings.TrimSpace(cells[4])})
	}
	return list, nil
}

// A result is what leadline reports, and what the table has besides.
type result struct {
	Type         string   `json:"type"`
	Module       string   `json:"module"`
	Unsafe       bool     `json:"unsafe"`
	Reason       *string  `json:"reason"`
	Calls        *string  `json:"calls"`
	Stacks       []string `json:"stacks"`
	Implicit     *bool    `json:"implicit"`
	Tests        int      `json:"tests"`
	Executions   int      `json:"executions"`
	Elapsed      float64  `json:"elapsed"`
	Runs         *int     `json:"runs"`
	Failing      *int     `json:"failing"`
	Unreproduced []struct {
		Reason string `json:"reason"`
		Calls  string `json:"calls"`
	} `json:"unreproduced"`
	Races     int `json:"races"`      // tests with data races, in another run
	RaceTests int `json:"race_tests"` // the tests of that run
}

func readResults(file string) (map[string]*result, error) {
	return tables.Read(file, func(r *result) string { return r.Type })
}

// test tests the types of these names, or all that have no results.
func test(types []subject, names []string, race bool, duration string, results map[string]*result, file string) error {
	leadline, remove, err := list.BuildLeadline()
	if err != nil {
		return err
	}
	defer remove()
	for _, s := range types {
		r := results[s.name]
		done := r != nil && (!race || r.RaceTests > 0)
		if race && r == nil || len(names) > 0 && !slices.Contains(names, s.name) || len(names) == 0 && done {
			continue
		}
		fmt.Fprintln(os.Stderr, s.name)
		found := &result{}
		flags := []string{"--time", duration}
		if race {
			flags = append(flags, "--race")
		}
		if err := s.leadline(found, leadline, flags...); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if race { // its findings are the same
			r.Races, r.RaceTests = found.Races, found.Tests
		} else {
			results[s.name] = found
			if found.Module, err = s.module(); err != nil {
				return err
			}
		}
		if err := writeResults(file, types, results); err != nil {
			return err
		}
	}
	return nil
}

// leadline tests the type with leadline.
func (s *subject) leadline(r *result, leadline string, flags ...string) error {
	args := slices.Concat([]string{"stress", "--oracle", "safety", "--new", s.constructor, "--name", s.name, "--save", "", "--output", "json"}, s.flags, flags)
	cmd := exec.Command(leadline, args...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, r)
}

// module returns the module of the type and its version.
func (s *subject) module() (string, error) {
	text, err := exec.Command("go", "list", "-m", "-f", "{{.Path}} {{.Version}}", "all").Output()
	if err != nil {
		return "", err
	}
	best := "the standard library " + runtime.Version()
	length := 0
	for line := range strings.Lines(string(text)) {
		path, _, _ := strings.Cut(line, " ")
		if rest, ok := strings.CutPrefix(strings.TrimPrefix(s.constructor, "&"), path); ok && len(path) > length && rest != "" && strings.ContainsAny(rest[:1], "./") {
			best, length = strings.TrimSpace(line), len(path)
		}
	}
	if strings.HasSuffix(best, "benchdata/subjects") { // its wrappers here are of the standard library
		best = "the standard library " + runtime.Version()
	}
	return best, nil
}

func writeResults(file string, types []subject, results map[string]*result) error {
	var all []any
	for _, s := range types {
		if r := results[s.name]; r != nil {
			all = append(all, r)
		}
	}
	return tables.Write(file, all)
}

// command writes the table.
const command = "go run ./safety -table"

// tableOf writes the table, by what is documented.
func tableOf(types []subject, results map[string]*result) string {
	types = slices.Clone(types)
	order := map[string]int{"safe": 0, "silent": 1, "unsafe": 2}
	slices.SortStableFunc(types, func(a, b subject) int { return cmp.Compare(order[a.documented], order[b.documented]) })
	var b strings.Builder
	w := bufio.NewWriter(&b)
	fmt.Fprintln(w, "| type | module | documented | found | reason | implicit | tests | time | Go test | races | explanation |")
	fmt.Fprintln(w, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, s := range types {
		r := results[s.name]
		if r == nil {
			continue
		}
		found, reason, implicit, rate := "no", "-", "-", "-"
		if r.Unsafe {
			found, reason, implicit = "yes", oneLine(*r.Reason), "no"
			if *r.Implicit {
				implicit = "yes"
			}
			rate = fmt.Sprintf("%d/%d", *r.Failing, *r.Runs)
		}
		races := "-"
		if r.RaceTests > 0 {
			races = fmt.Sprintf("%d/%d", r.Races, r.RaceTests)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %d | %.1f s | %s | %s | %s |\n", s.name, r.Module, s.documented, found, reason, implicit,
			r.Tests, r.Elapsed, rate, races, cmp.Or(s.explanation, "-"))
	}
	w.Flush()
	return b.String()
}

// oneLine shortens a reason.
func oneLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if kind, _, ok := strings.Cut(line, ": "); ok && (kind == "deadlock" || kind == "never ends") {
		return kind
	}
	return strings.ReplaceAll(line, "|", "\\|")
}
