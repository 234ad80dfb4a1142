package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const (
	oneRead = `{"leadline":1,"history":"one","model":"register"}
{"process":0,"type":"invoke","method":"read"}
{"process":0,"type":"ok","result":null}
`
	nextHeader = `{"leadline":1,"history":"two","model":"register"}
`
	faulty = `{"leadline":1,"history":"faulty","model":"register"}
{"process":0,"type":"ok","result":null}
`
)

// interrupt starts a command, writes input to it and leaves its standard
// input open, waits for a line with the text awaited on either output,
// interrupts the command and returns all it printed, and its exit status.
func interrupt(t *testing.T, input io.Reader, awaited string, args ...string) (string, int) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	cmd := exec.Command("leadline", args...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = write, write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	defer output.Close()
	go io.Copy(stdin, input) // ends with the command
	lines := bufio.NewScanner(output)
	var printed strings.Builder
	for sent := false; lines.Scan(); {
		printed.WriteString(lines.Text() + "\n")
		if !sent && strings.Contains(lines.Text(), awaited) {
			sent = true
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // the status tells
	return printed.String(), cmd.ProcessState.ExitCode()
}

// endless repeats an operation on and on.
type endless struct{ rest string }

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		e.rest = strings.TrimPrefix(oneRead, oneRead[:strings.Index(oneRead, "\n")+1])
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestInterrupt: an interrupt ends a command that waits for input, or reads it
// without end; the totals are of what was read before.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	one, pipe, large := filepath.Join(dir, "one.jsonl"), filepath.Join(dir, "pipe"), filepath.Join(dir, "large.zst")
	if err := os.WriteFile(one, []byte(oneRead), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skipf("mkfifo: %v", err)
	}
	writeLarge(t, large)
	const totals = "1 history: 1 linearizable, 0 not linearizable, 0 unknown, 0 invalid\n"
	for _, c := range []struct {
		name    string
		input   io.Reader
		awaited string
		args    []string
		status  int
		want    string
	}{
		{"standard input", strings.NewReader(oneRead + nextHeader), "#one", []string{"check", "-"}, statusUnknown, totals},
		{"named pipe", strings.NewReader(""), "#one", []string{"check", one, pipe}, statusUnknown, totals},
		{"large file", strings.NewReader(""), "#one", []string{"check", "--max-history", "0", large}, statusUnknown, "1 linearizable, 0 not linearizable, "},
		{"endless history", io.MultiReader(strings.NewReader(oneRead+nextHeader), &endless{}), "#one",
			[]string{"check", "-"}, statusUnknown, "1 linearizable, 0 not linearizable, "},
		{"JSON", strings.NewReader(oneRead + nextHeader), `"one"`, []string{"check", "--output", "json", "-"}, statusUnknown, `"verdict":"linearizable"`},
		{"family", strings.NewReader(oneRead + nextHeader), "#one", []string{"family", "-"}, statusUnknown, "#one"},
		{"tables", strings.NewReader(oneRead + faulty + nextHeader), "no open operation", []string{"tables", "-"}, statusBad, "register"},
		{"convert", strings.NewReader(oneRead + faulty + nextHeader), "no open operation", []string{"convert", "-"}, statusBad, `"history":"one"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			printed, status := interrupt(t, c.input, c.awaited, c.args...)
			if status != c.status || !strings.Contains(printed, c.want) || strings.Count(printed, ": interrupted; ") != 1 {
				t.Errorf("status %d, want %d, and %q in\n%s", status, c.status, c.want, printed)
			}
		})
	}
}

// TestInterruptRecord: what an interrupted record has written is a history.
func TestInterruptRecord(t *testing.T) {
	printed, status := interrupt(t, strings.NewReader(""), `"type":"ok"`, "record", "--simulate", "queue", "--ops", "1000000000")
	const message = "leadline record: interrupted; the history has the operations so far\n"
	if status != statusUnknown || !strings.Contains(printed, message) || !strings.Contains(printed, "\n# interrupted\n") {
		t.Fatalf("status %d, and it ends in %s", status, printed[max(0, len(printed)-500):])
	}
	var out, errs bytes.Buffer
	history := strings.ReplaceAll(printed, message, "")
	if status := run([]string{"check", "-"}, strings.NewReader(history), &out, &errs); status != statusOK {
		t.Errorf("check: status %d\n%s%s", status, &out, &errs)
	}
}

// TestInterruptMap: map does not wait for its input after an interrupt.
func TestInterruptMap(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	in, writer := io.Pipe()
	defer writer.Close()
	var errs bytes.Buffer
	status := printTemplate(ctx, streams{in, io.Discard, &errs}, "-")
	if status != statusUnknown || errs.String() != "leadline map: interrupted\n" {
		t.Errorf("status %d, %s", status, &errs)
	}
}

// TestInterruptSubject: an interrupt is the end of a recording without end, and
// cuts off any other.
func TestInterruptSubject(t *testing.T) {
	for ops, want := range map[string]int{"0": statusOK, "1000000000": statusUnknown} {
		printed, status := interrupt(t, strings.NewReader(""), `"type":"ok"`, "record", "--subject", "queue", "--ops", ops)
		message := strings.Contains(printed, "leadline record: interrupted; the history has the operations so far\n")
		if status != want || message != (want != statusOK) {
			t.Errorf("--ops %s: status %d, and it ends in %s", ops, status, printed[max(0, len(printed)-500):])
		}
	}
}

// writeLarge writes a file that takes minutes to read: a history, and the
// header of another one with 64 GB of comments, compressed.
func writeLarge(t *testing.T, name string) {
	t.Helper()
	frame := func(text []byte) []byte {
		w, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		return w.EncodeAll(text, nil)
	}
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	remarks := frame(bytes.Repeat([]byte("#\n"), 1<<24))
	if _, err := file.Write(frame([]byte(oneRead + nextHeader))); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(bytes.Repeat(remarks, 2000)); err != nil {
		t.Fatal(err)
	}
}
