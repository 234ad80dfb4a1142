package batch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/replay"
)

// TestOutcomeLine: what a journal has is what was put there, and a line with any byte
// changed or missing is refused.
func TestOutcomeLine(t *testing.T) {
	k := read(t, "f", plain)[0].Key()
	o := &Outcome{Status: NotLinearizable, At: 3, Reason: "a \"tab\"\t and a\nline", Final: true, Took: 1234567, rest: []byte(`{"model":"x"}`)}
	line := bytes.TrimSuffix(outcomeLine(k, o), []byte("\n"))
	if found, got, err := parseOutcome(line); err != nil || found != k || fmt.Sprint(*got) != fmt.Sprint(*o) {
		t.Errorf("got %x, %+v, %v; want %x, %+v", found, got, err, k, o)
	}
	for i := range line {
		changed := bytes.Clone(line)
		changed[i] ^= 1
		if _, _, err := parseOutcome(changed); err == nil {
			t.Errorf("byte %d may be changed", i)
		}
		if _, _, err := parseOutcome(line[:i]); err == nil {
			t.Errorf("the line may end at byte %d", i)
		}
	}
}

// TestFinal: only decided outcomes that nothing has cut short are final.
func TestFinal(t *testing.T) {
	e := read(t, "f", plain)[0]
	for _, c := range []struct {
		v     replay.Verdict
		final bool
	}{
		{replay.Verdict{Finding: replay.Finding{Answer: replay.Linearizable, Depth: 1}}, true},
		{replay.Verdict{Finding: replay.Finding{Answer: replay.NotLinearizable}}, true},
		{replay.Verdict{Finding: replay.GaveUp(replay.Schedules)}, false},
		{replay.Verdict{Finding: replay.GaveUp(replay.Time)}, false},
		{replay.Verdict{Finding: replay.Finding{Answer: replay.Linearizable, DepthCause: replay.Depth}}, true},
		{replay.Verdict{Finding: replay.Finding{Answer: replay.Linearizable, DepthCause: replay.Memory}}, false},
		{replay.Verdict{Finding: replay.Finding{Answer: replay.NotLinearizable}, Explanation: &replay.Explanation{
			Unexplained: replay.NoOperation, Missing: []replay.MissingPart{{Part: "blame", Cause: "cancelled"}}}}, false},
		{replay.Verdict{Finding: replay.Finding{Answer: replay.NotLinearizable}, Explanation: &replay.Explanation{
			Unexplained: replay.NoOperation, Missing: []replay.MissingPart{{Part: "blame", Cause: "work"}}}}, true},
	} {
		r := &Result{Entry: e, Verdict: c.v}
		if o := r.Outcome(); o.Final != c.final {
			t.Errorf("%v: final is %v: %s", c.v, o.Final, o.rest)
		}
	}
}

// TestJournalLock: a journal has one writer.
func TestJournalLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	j, err := OpenJournal(name, Plan{Work: "w"})
	if err != nil {
		t.Fatal(err)
	}
	if err := lock(j.file); err != nil {
		t.Errorf("its own writer: %v", err)
	}
	other, err := OpenJournal(name, Plan{Work: "w"})
	if err == nil {
		t.Log("this system has no locks of files")
		other.Close(false)
	} else if !strings.Contains(err.Error(), ErrLocked.Error()) {
		t.Error(err)
	}
	if err := j.Close(false); err != nil {
		t.Error(err)
	}
}

// TestNoJournal: files that are not journals are refused and left as they are; a first
// line that was cut off begins anew.
func TestNoJournal(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for text, ok := range map[string]bool{
		"": true, `{"leadline_jour`: true, `{"leadline_journal":1,"plan":{"pro`: true, "{": true, "notes": false, "notes\n": false,
		"{\"leadline\":1}\n": false, "{\"leadline_journal\":2,\"plan\":{}}\n": false, "\n": false, `{"leadline":1`: false,
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		j, err := OpenJournal(name, Plan{})
		if (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
		if err == nil {
			err = j.Close(false)
		} else if left, _ := os.ReadFile(name); string(left) != text {
			err = fmt.Errorf("%q became %q", text, left)
		} else {
			err = nil
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// TestJournalDevice: a device is not a journal. Some can be read without end.
func TestJournalDevice(t *testing.T) {
	_, err := OpenJournal(os.DevNull, Plan{})
	if err == nil || !strings.Contains(err.Error(), "regular file") {
		t.Error(err)
	}
}

// TestInterruptedCheck: the outcome of a check that was interrupted is not kept.
func TestInterruptedCheck(t *testing.T) {
	dir := t.TempDir()
	j, err := OpenJournal(filepath.Join(dir, "journal"), Plan{})
	if err != nil {
		t.Fatal(err)
	}
	c := Checker{Journal: j}
	e := read(t, "f", plain)[0]
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r := c.Check(ctx, e); !r.Skipped {
		t.Errorf("after an interrupt, the entry is %v", r.Status())
	}
	found := []bool{c.Check(context.Background(), e).FromJournal}
	if err := j.Close(false); err != nil {
		t.Error(err)
	}
	if j, err = OpenJournal(filepath.Join(dir, "journal"), Plan{}); err != nil {
		t.Fatal(err)
	}
	c.Journal = j
	found = append(found, c.Check(context.Background(), e).FromJournal)
	if want := []bool{false, true}; !slices.Equal(found, want) {
		t.Errorf("outcomes are from the journal: %v, want %v", found, want)
	}
	if err := j.Close(true); err != nil {
		t.Error(err)
	}
}
