package goker

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	folder = flag.String("goker", "", "the `folder` gobench/goker of a checkout of timmyyuan/gobench")
	update = flag.Bool("update", false, "write goker.jsonl and mended.jsonl")
)

// setting is the only setting. It was fixed before the first run.
var setting = []string{"explore", "-o", "json", "--plain", "--timers", "anytime"}

// A kernel is a line of goker.jsonl or mended.jsonl.
type kernel struct {
	Kernel string `json:"kernel"` // blocking/etcd/6857
	Type   string `json:"type"`   // in the words of the suite
	Status string `json:"status"` // of leadline explore
	// Refused says why explore refused the test, and Text describes the fault.
	Refused string `json:"refused,omitempty"`
	Fault   string `json:"fault,omitempty"`
	Text    string `json:"text,omitempty"`
	// Places are the lines where goroutines of the fault wait, or the line that panics.
	Places      []int   `json:"places,omitempty"`
	Documented  string  `json:"documented,omitempty"` // all, some or none of the lines of places.tsv are among them
	Execution   int64   `json:"execution,omitempty"`
	Preemptions int     `json:"preemptions"`
	Steps       int     `json:"steps,omitempty"`
	Executions  int64   `json:"executions"`
	Complete    int     `json:"complete"`
	Cut         int64   `json:"cut,omitempty"`
	Seconds     float64 `json:"seconds"`
	// Repeated is what go test -count says: passed, timeout, deadlock, panic or failed. Profile
	// is how many leaked goroutines Go's leak profile has after as many runs.
	Repeated string `json:"repeated,omitempty"`
	Count    int    `json:"count,omitempty"`
	Profile  int    `json:"profile"`
	Profiled int    `json:"profiled,omitempty"` // runs before the profile was taken
}

// kernels returns the kernels of the suite, without results.
func kernels(t *testing.T) []*kernel {
	t.Helper()
	if *folder == "" {
		t.Skip("no folder is given: go test ./goker -goker .../gobench/goker")
	}
	var list []*kernel
	for _, class := range []string{"blocking", "nonblocking"} {
		var types map[string]struct{ Type, Subtype string }
		text, err := os.ReadFile(filepath.Join(*folder, "../configures/goker", class+".json"))
		if err == nil {
			err = json.Unmarshal(text, &types)
		}
		if err != nil {
			t.Fatal(err)
		}
		dirs, _ := filepath.Glob(filepath.Join(*folder, class, "*", "*"))
		for _, dir := range dirs {
			project, number := filepath.Base(filepath.Dir(dir)), filepath.Base(dir)
			of := types[project+"_"+number]
			list = append(list, &kernel{Kernel: class + "/" + project + "/" + number, Type: of.Type + ", " + of.Subtype})
		}
	}
	slices.SortFunc(list, func(a, b *kernel) int { return strings.Compare(a.Kernel, b.Kernel) })
	if len(list) != 103 {
		t.Fatalf("%s has %d kernels, not 103", *folder, len(list))
	}
	return list
}

// copied returns a module gk with copies of kernels. Edit may change the lines of a file.
func copied(t *testing.T, list []*kernel, edit func(name string, lines []string)) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module gk\n\ngo 1.13\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, k := range list {
		files, err := filepath.Glob(filepath.Join(*folder, k.Kernel, "*_test.go"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s: files %q, error %v", k.Kernel, files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		if edit != nil {
			edit(k.Kernel, lines)
		}
		to := filepath.Join(dir, k.Kernel, filepath.Base(files[0]))
		if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
			err = os.WriteFile(to, []byte(strings.Join(lines, "\n")), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// explore runs leadline explore on all packages of a module, and fills in the kernels.
func explore(t *testing.T, dir string, list []*kernel) {
	t.Helper()
	leadline := filepath.Join(t.TempDir(), "leadline")
	if out, err := exec.Command("go", "build", "-C", "../../..", "-o", leadline, "./cmd/leadline").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(leadline, append(slices.Clone(setting), "./...")...)
	cmd.Dir = dir
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() == 2) {
		t.Fatalf("%v\n%s", err, errors.Bytes())
	}
	for line := range bytes.Lines(out) {
		var r report
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(list, func(k *kernel) bool { return "gk/"+k.Kernel == r.Package })
		if i < 0 {
			t.Fatalf("no kernel has package %s", r.Package)
		}
		r.fill(list[i])
	}
	for _, k := range list {
		if k.Status == "" {
			t.Errorf("%s has no result\n%s", k.Kernel, errors.Bytes())
		}
	}
}

// readKernels reads lines of results.
func readKernels(t *testing.T, file string) []*kernel {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []*kernel
	for line := range bytes.Lines(text) {
		k := &kernel{}
		if err := json.Unmarshal(line, k); err != nil {
			t.Fatal(err)
		}
		list = append(list, k)
	}
	return list
}

// writeKernels writes lines of results, if the flag update is given.
func writeKernels(t *testing.T, file string, list []*kernel) {
	t.Helper()
	if !*update {
		return
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	for _, k := range list {
		if err := encoder.Encode(k); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// places reads places.tsv: the documented lines of each kernel.
func places(t *testing.T) map[string][]int {
	t.Helper()
	text, err := os.ReadFile("places.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]int{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 || !slices.Contains([]string{"readme", "shifted", "comment", "diagram", "cause"}, fields[2]) {
			t.Fatalf("places.tsv: %q", line)
		}
		for field := range strings.FieldsSeq(fields[1]) {
			n, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			lines[fields[0]] = append(lines[fields[0]], n)
		}
	}
	return lines
}

// totals returns the figures that the README has.
func totals(list []*kernel) string {
	var blocking, reported, at, all, other, otherReported, otherAt, races, racesReported, profile, repeated, union int
	for _, k := range list {
		found, somewhere := k.Fault != "", k.Documented == "some" || k.Documented == "all"
		switch {
		case strings.HasPrefix(k.Kernel, "blocking/"):
			blocking++
			reported += count(found)
			at += count(somewhere)
			all += count(k.Documented == "all")
			profile += count(k.Profile > 0)
			repeated += count(k.Repeated != "" && k.Repeated != "passed")
			union += count(k.Profile > 0 || k.Repeated != "" && k.Repeated != "passed")
		case !plainRace(k):
			other++
			otherReported += count(found)
			otherAt += count(somewhere)
		default:
			races++
			racesReported += count(found)
		}
	}
	return fmt.Sprintf(`blocking: %d of %d reported, %d of them at a documented place, %d at all documented places
blocking: %d by the leak profile, %d by go test -count, %d by one of these
nonblocking, no plain data race: %d of %d reported, %d of them at a documented place
plain data races: %d of %d reported`, reported, blocking, at, all, profile, repeated, union, otherReported, other, otherAt, racesReported, races)
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// plainRace reports whether the bug of a kernel is a data race and nothing else, in the words of the suite.
func plainRace(k *kernel) bool {
	return strings.EqualFold(strings.ReplaceAll(k.Type, " ", ""), "traditional,datarace")
}
