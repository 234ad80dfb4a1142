package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/rogpeppe/go-internal/testscript"
)

var (
	update = flag.Bool("update", false, "write what the commands print into doc.go and the scripts")
	full   = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

func TestMain(m *testing.M) {
	if status, isWorker := serveSubject(); isWorker {
		os.Exit(status)
	}
	os.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -ldflags=-w")            // without DWARF, programs link faster
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))) // many wait for other processes
	testscript.Main(m, map[string]func(){
		"leadline": func() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		// The last line is then the most memory that the process took.
		"leadline-peak": func() {
			run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
			status, err := os.ReadFile("/proc/self/status")
			if err != nil {
				os.Exit(statusInternal)
			}
			_, peak, _ := strings.Cut(string(status), "VmHWM:")
			fmt.Println(strings.Fields(peak)[0])
		},
	})
}

// scriptCommands are commands of scripts, in addition to those of testscript.
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){}

func TestScripts(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	p := testscript.Params{Dir: "testdata/script", UpdateScripts: *update, Cmds: scriptCommands, Setup: func(e *testscript.Env) error {
		e.Setenv("GOCACHE", strings.TrimSpace(string(cache))) // the home directory is another one
		e.Setenv("GORACE", os.Getenv("GORACE"))
		return nil
	}, Condition: func(name string) (bool, error) {
		if name != "full" {
			return false, fmt.Errorf("unknown condition %s", name)
		}
		return *full, nil
	}}
	if underRace { // only what has several workers: each command takes ten times as long
		p.Dir = ""
		for _, name := range []string{"archives", "batch", "check", "record"} {
			p.Files = append(p.Files, "testdata/script/"+name+".txtar")
		}
	}
	testscript.Run(t, p)
}

// TestManual runs every example of the manual ("$ leadline ..."), at the root of
// the module, and compares what follows it with what it prints.
func TestManual(t *testing.T) {
	t.Chdir(root)
	examples := 0
	for _, name := range manualNames {
		examples += checkManual(t, "cmd/leadline/"+name)
	}
	if examples < 10 {
		t.Errorf("the manual has only %d examples", examples)
	}
}

// checkManual checks a file of the manual and returns how many examples it has.
func checkManual(t *testing.T, name string) (examples int) {
	manual, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(manual), "\n")
	var rewritten []string
	for i := 0; i < len(lines); i++ {
		rewritten = append(rewritten, lines[i])
		example, ok := strings.CutPrefix(lines[i], "//\t$ leadline ")
		if !ok {
			continue
		}
		examples++
		var want []string
		// An empty line belongs to the output if that goes on after it.
		for i+1 < len(lines) && (strings.HasPrefix(lines[i+1], "//\t") ||
			lines[i+1] == "//" && strings.HasPrefix(lines[i+2], "//\t") && !strings.HasPrefix(lines[i+2], "//\t$")) {
			i++
			want = append(want, strings.TrimPrefix(strings.TrimPrefix(lines[i], "//"), "\t"))
		}
		var stdout, stderr bytes.Buffer
		run(words(example), strings.NewReader(""), &stdout, &stderr)
		got := strings.Split(strings.TrimRight(stderr.String()+stdout.String(), "\n"), "\n")
		for _, line := range got {
			rewritten = append(rewritten, strings.TrimSuffix("//\t"+line, "\t"))
		}
		if text := strings.Join(got, "\n"); text != strings.Join(want, "\n") && !*update {
			t.Errorf("leadline %s prints\n%s\nthe manual says\n%s", example, text, strings.Join(want, "\n"))
		}
	}
	if *update {
		if err := os.WriteFile(name, []byte(strings.Join(rewritten, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return examples
}

// words splits a command at blanks outside of single quotes.
func words(text string) (list []string) {
	quoted := false
	for _, piece := range strings.SplitAfter(text, "'") {
		rest, ends := strings.CutSuffix(piece, "'")
		if quoted && len(list) > 0 {
			list[len(list)-1] += rest
		} else {
			list = append(list, strings.Fields(rest)...)
			if strings.HasSuffix(rest, " ") && ends {
				list = append(list, "")
			}
		}
		quoted = quoted != ends
	}
	return list
}

func TestWorse(t *testing.T) {
	order := []int{statusOK, statusUnknown, statusNot, statusBad, statusInternal}
	for i, a := range order {
		for j, b := range order {
			if got := worse(a, b); got != order[max(i, j)] {
				t.Errorf("worse(%d, %d) = %d", a, b, got)
			}
		}
	}
}

// TestMemory: the whole process keeps to --memory, whatever fills it.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the size of the process is known on Linux")
	}
	if underRace {
		t.Skip("the race detector takes memory of its own")
	}
	search := t.TempDir() + "/search.jsonl"
	args := "record --simulate queue --values 4 --threads 32 --ops 6000 --fault swap@50 --lost 5 --output " + search
	if status := run(strings.Fields(args), nil, os.Stdout, os.Stderr); status != statusOK {
		t.Fatalf("%s: status %d", args, status)
	}
	open := `{"leadline":1,"model":"register"}` + "\n" + strings.Repeat(`{"process":0,"type":"invoke","method":"read"}`+"\n"+`{"process":0,"type":"ok","result":null}`+"\n", 400_000)
	for _, c := range []struct{ name, stdin, args, want string }{
		{"search", "", "check --explain=false --jobs 1 --memory 32MiB " + search, "memory"},
		{"history", open, "check --memory 80MiB -", "memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command("leadline-peak", strings.Fields(c.args)...)
			cmd.Stdin = strings.NewReader(c.stdin)
			output, err := cmd.CombinedOutput()
			lines := strings.Split(strings.TrimSpace(string(output)), "\n")
			if err != nil || !strings.Contains(string(output), c.want) {
				t.Fatalf("%v, want %q in\n%.1000s", err, c.want, output)
			}
			kilobytes, err := strconv.ParseInt(lines[len(lines)-1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			var most flagkind.Size
			for i, arg := range strings.Fields(c.args) {
				if arg == "--memory" {
					err = most.Set(strings.Fields(c.args)[i+1])
				}
			}
			t.Logf("%d KiB of %v", kilobytes, &most)
			if err != nil || kilobytes<<10 > int64(most) {
				t.Errorf("the process took %d KiB, more than %v; %v", kilobytes, &most, err)
			}
		})
	}
}

func TestSizeFlag(t *testing.T) {
	for text, want := range map[string]flagkind.Size{"4096": 4096, "512MiB": 512 << 20, "2GB": 2e9, "1 KiB": 1 << 10, "7B": 7} {
		var z flagkind.Size
		if err := z.Set(text); err != nil || z != want {
			t.Errorf("%q is %d, %v; want %d", text, z, err, want)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1.5GB", "9999999999GiB", "12 parsecs"} {
		if err := new(flagkind.Size).Set(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
