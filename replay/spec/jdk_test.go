package spec

import (
	"bufio"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var programs = flag.String("programs", "", "`file` of programs by testdata/Programs.java for TestJDK to replay besides those in testdata")

// TestJDK replays random sequential programs with the answers that JDK 17
// gave. testdata/Programs.java wrote them and explains their form.
func TestJDK(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	if *programs != "" {
		files = append(files, *programs)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { replayFile(t, file) })
	}
}

func replayFile(t *testing.T, file string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, done, failed := bufio.NewReader(f), 0, 0
	for line := 1; failed < 10; line++ {
		text, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		if strings.HasPrefix(text, "#") {
			continue
		}
		done++
		if err := replayProgram(strings.TrimSuffix(text, "\n")); err != nil {
			t.Errorf("%s:%d: %v", file, line, err)
			failed++
		}
	}
	if done == 0 {
		t.Error("no program replayed")
	}
	t.Logf("%d programs", done)
}
