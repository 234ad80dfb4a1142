package composed

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/replay/composed"
)

var (
	update = flag.Bool("update", false, "write the table into README.md")
	full   = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

func explore(t *testing.T, method func(composed.Map) any, o composed.Options) *composed.Report {
	t.Helper()
	r, err := composed.Explore(context.Background(), method, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Violation == nil && (r.Ops != cmp.Or(o.Ops, composed.DefaultOps) || r.Undecided > 0) {
		t.Fatalf("explored with up to %d operations of the environment only: %+v", r.Ops, r)
	}
	if r.Violation != nil {
		o.Replay = r.Violation.Replay
		again, err := composed.Explore(context.Background(), method, o)
		if err != nil || again.Violation == nil || again.Violation.String() != r.Violation.String() {
			t.Errorf("the execution cannot be repeated: %v, %v", again, err)
		}
	}
	return r
}

// cell is what a report is in the table.
func cell(r *composed.Report) string {
	if r.Violation != nil {
		return fmt.Sprintf("violation, %d", r.Executions)
	}
	return fmt.Sprintf("none in %d", r.Executions)
}

// TestClasses runs every subject, without -full one in three of each class, in an open
// environment, and in that of its program. The README has the table.
func TestClasses(t *testing.T) {
	all := slices.Concat(subjects, caches)
	for _, s := range slices.Concat(violations, newer) {
		s.class = program
		all = append(all, s)
	}
	var rows []string
	classes, met := map[class]int{}, map[class]int{}
	harmless, fixed := 0, 0
	kinds := map[string][2]int{} // methods, and those with a violation
	var orders strings.Builder
	modules := map[string]bool{}
	for _, s := range all {
		if met[s.class]++; met[s.class]%3 != 1 && !*full && !*update {
			continue
		}
		t.Run(s.function, func(t *testing.T) {
			r := explore(t, s.method, composed.Options{Values: openValues(&s)})
			if (r.Violation == nil) != (s.class == atomic) {
				t.Errorf("%s is %s; in an open environment: %v", s.function, s.class, r.Violation)
			}
			found := r.Violation
			given := "-"
			if s.class != atomic {
				method := s.method
				if s.locked != nil {
					method = s.locked
				}
				p := explore(t, method, s.environment())
				if (p.Violation == nil) != (s.class == open) {
					t.Errorf("%s is %s; in the program: %v, %v", s.function, s.class, p, p.Violation)
				}
				if p.Violation != nil {
					found = p.Violation
				}
				given = cell(p)
				if s.reading == "" {
					t.Error("the violation is not explained")
				}
			}
			fixText := ""
			if found != nil {
				fmt.Fprintf(&orders, "%s, %s, %s\n%v\n", s.module, s.function, s.class, found)
				fixText = "none"
				if f := fixOf(s.function); f != nil {
					fixText = f.text
					fixed++
				}
			}
			kind := kindOf(s.method, s.class == atomic)
			count := kinds[kind]
			count[0]++
			if s.class != atomic {
				count[1]++
			}
			kinds[kind] = count
			rows = append(rows, fmt.Sprintf("| %s | %s, %s | %s | %s | %s | %s | %s | %s |", s.module, s.function, s.place, kind, cell(r), given, s.class, s.reading, fixText))
			classes[s.class]++
			modules[s.module] = true
			if strings.HasPrefix(s.reading, "harmless") {
				harmless++
			}
		})
	}
	if !*full && !*update {
		checkRows(t, rows)
		return
	}
	head := fmt.Sprintf("%d methods of %d modules, the standard library included:\n\n"+
		"- %d are linearizable in an open environment.\n"+
		"- %d have violations in an open environment only.\n"+
		"- %d have violations in the given program. %d of these are harmless.\n\n"+
		"So of %d violations in an open environment, %d are confirmed, and %d are false alarms for the\nprogram as it is. "+
		"%d of the %d have a fix with one operation.\n\n"+
		"The kinds are those of Figures 12 and 13:\n\n%s\n"+
		"| module | function, place | kind | open environment | given program | class | reading | fix |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n",
		len(all), len(modules), classes[atomic], classes[open], classes[program], harmless,
		len(all)-classes[atomic], classes[program]-harmless, classes[open]+harmless, fixed, len(all)-classes[atomic],
		kindTable(kinds, len(all)))
	checkFile(t, "orders.txt", orders.String())
	checkTable(t, head+strings.Join(rows, "\n")+"\n")
}

// openValues returns the values of an open environment: those of the program
// if its values are pointers, which the method expects.
func openValues(s *subject) func() []any {
	if s.values != nil {
		if _, ok := s.values()[0].(*counter); ok {
			return s.values
		}
	}
	return nil
}

// checkRows looks for rows of the table in README.md.
func checkRows(t *testing.T, rows []string) {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if !strings.Contains(string(readme), row+"\n") {
			t.Errorf("README.md lacks the row\n%s", row)
		}
	}
}

// checkTable compares the table with that of README.md.
func checkTable(t *testing.T, table string) {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	const mark = "## Results\n\n"
	text, old, ok := strings.Cut(string(readme), mark)
	if !ok {
		t.Fatal("README.md has no results")
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(text+mark+table), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != table {
		t.Errorf("README.md has\n%s\nmeasured\n%s", old, table)
	}
}

// checkFile compares a text with a file.
func checkFile(t *testing.T, name, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old, err := os.ReadFile(name); err != nil || string(old) != text {
		t.Errorf("%s (%v) has\n%s\nmeasured\n%s", name, err, old, text)
	}
}
