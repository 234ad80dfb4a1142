package spec

import (
	"bufio"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/leadline/leadline/replay/spec/internal/table"
)

var (
	full     = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
	programs = flag.String("programs", "", "`file` of programs by testdata/Programs.java for TestJDK to replay besides those in testdata")
	fresh    = flag.Int("fresh", 0, "`number` of new programs per class that TestFreshJDK runs; 5000 with -full")
)

// TestJDK replays random sequential programs with the results of JDK 17.
// testdata/Programs.java wrote them and documents their format. Those in
// testdata use every method of every class.
func TestJDK(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	if *programs != "" {
		files = append(files, *programs)
	}
	unused := newUnused(func(e *table.Entry) bool { return e.Methods.CheckArg != nil })
	ran := 0 // -run may select some of them
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			replayPrograms(t, file, bufio.NewReader(f), unused)
			ran++
		})
	}
	for call := range unused {
		if ran < len(files) {
			break
		}
		t.Errorf("no program uses %s", call)
	}
}

// replayPrograms reads the whole file, whatever fails, and removes the calls
// that it finds from unused. It returns the number of programs of each class.
func replayPrograms(t *testing.T, file string, lines *bufio.Reader, unused unusedCalls) map[string]int {
	done, failed := map[string]int{}, 0
	for line := 1; ; line++ {
		text, err := lines.ReadString('\n')
		if err != nil {
			if err != io.EOF || text != "" {
				t.Errorf("%s:%d: the line is torn: %v", file, line, err)
			}
			break
		}
		if strings.HasPrefix(text, "#") {
			continue
		}
		text = strings.TrimSuffix(text, "\n")
		if err := replayProgram(text); err != nil {
			if failed++; failed <= 10 {
				t.Errorf("%s:%d: %v", file, line, err)
			}
		}
		done[unused.strike(text)]++
	}
	if len(done) == 0 {
		t.Error("no program replayed")
	}
	t.Logf("programs: %v; with a wrong answer: %d", done, failed)
	return done
}

// TestFreshJDK runs new random programs on the classes themselves. It needs a
// JDK 17, because it compiles Programs.java and other JDKs may behave
// differently.
//
//	go test ./replay/spec -run TestFreshJDK -fresh 100000 -v
func TestFreshJDK(t *testing.T) {
	t.Parallel()
	requireJDK17(t)
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(rand.Uint32())
	}
	t.Logf("-seed %d", seed)
	number := *fresh
	switch {
	case *full:
		number = max(number, 5000)
	case number == 0:
		t.Skip("starts Java: with -full or -fresh")
	}
	var classes []string
	for _, e := range entries {
		if e.Methods.CheckArg != nil {
			classes = append(classes, e.Name)
		}
	}
	java := exec.Command("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "testdata/Programs.java",
		strings.Join(classes, ","), strconv.FormatInt(int64(seed), 10), strconv.Itoa(number))
	var stderr strings.Builder
	java.Stderr = &stderr
	stdout, err := java.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := java.Start(); err != nil {
		t.Fatal(err)
	}
	done := replayPrograms(t, "line", bufio.NewReader(stdout), unusedCalls{})
	if err := java.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	for _, class := range classes {
		if done[class] != number {
			t.Errorf("%d programs of %s, want %d", done[class], class, number)
		}
	}
}

func requireJDK17(t *testing.T) {
	const consequence = "; skipped: the models are compared with the programs in testdata only"
	modules, err := exec.Command("java", "--list-modules").CombinedOutput()
	if err != nil {
		t.Skipf("java --list-modules: %v%s", err, consequence)
	}
	_, compiler, ok := strings.Cut(string(modules), "jdk.compiler@")
	if !ok {
		t.Skip("this java has no compiler, it is no JDK" + consequence)
	}
	version, _, _ := strings.Cut(compiler, "\n")
	if major, _, _ := strings.Cut(version, "."); major != "17" {
		t.Skipf("this JDK is %s, not 17%s", version, consequence)
	}
}
