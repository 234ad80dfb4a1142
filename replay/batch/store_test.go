package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/replay"
)

// TestOutcomeLine: what a store has is what was put there, and a line with any byte
// changed or missing is refused.
func TestOutcomeLine(t *testing.T) {
	k := Content(read(t, "f", plain)[0].History)
	o := &Outcome{Status: NotLinearizable, At: 3, Reason: "a \"tab\"\t and a\nline", Final: true, rest: []byte(`{"model":"x"}`)}
	line := bytes.TrimSuffix(appendOutcome(nil, k, o), []byte("\n"))
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
		{replay.Verdict{Finding: replay.Finding{Answer: replay.Linearizable, Depth: 1}, ExactCause: "time"}, false},
		{replay.Verdict{Finding: replay.Finding{Answer: replay.NotLinearizable}, Explanation: &replay.Explanation{
			Unexplained: replay.NoOperation, Missing: []replay.MissingPart{{Part: "blame", Cause: "cancelled"}}}}, false},
		{replay.Verdict{Finding: replay.Finding{Answer: replay.NotLinearizable}, Explanation: &replay.Explanation{
			Unexplained: replay.NoOperation, Missing: []replay.MissingPart{{Part: "blame", Cause: "work"}}}}, true},
	} {
		r := &Result{Entry: e, Verdict: c.v}
		if o := r.Outcome(false); o.Final != c.final {
			t.Errorf("%v: final is %v: %s", c.v, o.Final, o.rest)
		}
	}
}

// TestCache: outcomes are found by any process, damaged ones are not, and the oldest
// files are removed when there are too many.
func TestCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	open := func(limit int64) *Cache {
		c, err := OpenCache(dir, limit)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	key := func(i int) Key { return Key{byte(i), byte(i >> 8)} }
	outcome := func(i int, final bool) *Outcome {
		return &Outcome{Status: Linearizable, At: -1, Final: final, rest: fmt.Appendf(nil, `{"n":%d,"pad":"%s"}`, i, strings.Repeat("x", 900))}
	}
	const limit = 64 << 10
	first, second := open(limit), open(limit)
	for i := range 10 {
		first.Put(key(i), outcome(i, true))
	}
	first.Put(key(10), outcome(10, false))
	second.Put(key(11), outcome(11, true)) // at the same time
	for i, c := range map[int]*Cache{3: first, 11: second} {
		if o, ok := c.Get(key(i)); !ok || !bytes.Equal(o.rest, outcome(i, true).rest) {
			t.Errorf("outcome %d is not found", i)
		}
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	third := open(limit)
	for i := range 13 {
		if _, ok := third.Get(key(i)); ok != (i != 10 && i != 12) {
			t.Errorf("outcome %d: %v", i, ok)
		}
	}
	// A file that was cut, as by a crash.
	names, err := filepath.Glob(filepath.Join(dir, "*.results"))
	if err != nil || len(names) < 2 {
		t.Fatalf("the cache has the files %q, %v", names, err)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err == nil {
			err = os.Truncate(name, info.Size()-1)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := third.Close(); err != nil {
		t.Error(err)
	}
	fourth := open(limit)
	for i, want := range map[int]bool{0: true, 9: false, 11: false} {
		if _, ok := fourth.Get(key(i)); ok != want {
			t.Errorf("after a crash, outcome %d is found: %v", i, ok)
		}
	}
	for i := range 500 {
		fourth.Put(key(i), outcome(i, true))
	}
	if _, ok := fourth.Get(key(499)); !ok {
		t.Error("the last outcome is not found")
	}
	if _, ok := fourth.Get(key(0)); ok {
		t.Error("the first outcome of many is still there")
	}
	if err := fourth.Close(); err != nil {
		t.Error(err)
	}
	total := int64(0)
	names, _ = filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			total += info.Size()
		}
	}
	if total > limit*9/8 {
		t.Errorf("%d bytes in %d files, more than %d", total, len(names), limit)
	}
}

// TestJournalLock: a journal has one writer.
func TestJournalLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	j, err := OpenJournal(name, Plan{Work: "w"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := lock(j.file); err != nil {
		t.Errorf("its own writer: %v", err)
	}
	other, err := OpenJournal(name, Plan{Work: "w"}, false)
	if err == nil {
		t.Log("this system has no locks of files")
		other.Close(false)
	} else if !strings.Contains(err.Error(), errLocked.Error()) {
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
		j, err := OpenJournal(name, Plan{}, false)
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
	_, err := OpenJournal(os.DevNull, Plan{}, false)
	if err == nil || !strings.Contains(err.Error(), "regular file") {
		t.Error(err)
	}
}

// TestRetryUnknown: what is unknown is checked again once, also if the bounds are the
// same and the batch was stopped before.
func TestRetryUnknown(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	e := read(t, "f", plain)[0]
	unknown := &Outcome{Status: Unknown, At: -1, rest: []byte("{}")}
	for run, want := range []bool{false, false, true} {
		j, err := OpenJournal(name, Plan{Bounds: "b"}, run > 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := j.get(&e, Key{}); ok != want {
			t.Errorf("run %d: found is %v", run, ok)
		}
		j.put(&e, Key{}, unknown)
		if err := j.Close(false); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCacheSharing: a process that goes on in a file of another one keeps what that one
// has added meanwhile, and files that nobody adds to are used again.
func TestCacheSharing(t *testing.T) {
	dir := t.TempDir()
	open := func() *Cache {
		c, err := OpenCache(dir, DefaultCacheBytes)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	put := func(c *Cache, i byte) {
		c.Put(Key{i}, &Outcome{Status: Linearizable, At: -1, Final: true, rest: []byte("{}")})
	}
	end := func(c *Cache) {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	a, b := open(), open()
	put(a, 1)
	put(b, 2)
	late := open()
	put(a, 3)
	put(b, 4)
	end(a)
	end(b)
	other := open()
	put(late, 5)
	put(other, 6)
	end(late)
	end(other)
	all := open()
	defer end(all)
	for i := byte(1); i <= 6; i++ {
		if _, ok := all.Get(Key{i}); !ok {
			t.Errorf("outcome %d is lost", i)
		}
	}
	if len(all.files) != 2 {
		t.Errorf("there are %d files, want 2", len(all.files))
	}
}

// TestInterruptedCheck: the outcome of a check that was interrupted is not kept.
func TestInterruptedCheck(t *testing.T) {
	dir := t.TempDir()
	j, err := OpenJournal(filepath.Join(dir, "journal"), Plan{}, false)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := OpenCache(dir, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	c := Checker{Journal: j, Cache: cache}
	e := read(t, "f", plain)[0]
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r := c.CheckOnce(ctx, e); !r.Skipped {
		t.Errorf("after an interrupt, the entry is %v", r.Status())
	}
	sources := []Source{c.CheckOnce(context.Background(), e).Source}
	if err := j.Close(false); err != nil {
		t.Error(err)
	}
	if j, err = OpenJournal(filepath.Join(dir, "journal"), Plan{}, false); err != nil {
		t.Fatal(err)
	}
	c.Journal = j
	sources = append(sources, c.CheckOnce(context.Background(), e).Source)
	c.Journal = nil
	sources = append(sources, c.CheckOnce(context.Background(), e).Source)
	if want := []Source{FromCheck, FromJournal, FromCache}; !slices.Equal(sources, want) {
		t.Errorf("outcomes are from %v, want %v", sources, want)
	}
	if err := j.Close(true); err != nil {
		t.Error(err)
	}
	if err := cache.Close(); err != nil {
		t.Error(err)
	}
}

// TestElapsed: a stored outcome has the time of the check if its line has it.
func TestElapsed(t *testing.T) {
	r := (&Checker{}).Check(context.Background(), read(t, "a.jsonl", plain)[0])
	r.Verdict.Elapsed = 1234567
	for times, want := range map[bool]time.Duration{true: 1234567, false: 0} {
		o := r.Outcome(times)
		line := appendOutcome(nil, Key{}, o)
		_, stored, err := parseOutcome(line[:len(line)-1])
		if err != nil || o.elapsed() != 1234567 || stored.elapsed() != want {
			t.Errorf("times %v: %v, stored %v, %v", times, o.elapsed(), stored.elapsed(), err)
		}
	}
}

// TestReportsOfProgramOrder: with --order program, reports are about sequential
// consistency.
func TestReportsOfProgramOrder(t *testing.T) {
	e := read(t, "a.jsonl", plain)[0]
	e.History = e.History.ProgramOrder()
	var out bytes.Buffer
	if err := NewAnnotations(&out).Add(&e, &Outcome{Status: NotLinearizable, At: -1, Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	if want := "not sequentially consistent: x\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("got %q, want it to end in %q", out.String(), want)
	}
}

// TestReports: reports are well-formed, whatever names and messages have.
func TestReports(t *testing.T) {
	dir := t.TempDir()
	odd := read(t, "a b,c:%.jsonl", strings.Replace(plain, `"a"`, `"<\u0007&\n>"`, 1))[0]
	o := &Outcome{Status: NotLinearizable, At: 1, Reason: "<b> & \x01\n::x", took: 2500 * time.Microsecond}
	junitName, sarifName := filepath.Join(dir, "j.xml"), filepath.Join(dir, "s.sarif")
	j, err := NewJUnit(junitName)
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); !slices.Equal(left, []string{PartName(junitName)}) && runtime.GOOS != "windows" {
		t.Errorf("a kill would leave %q", left)
	}
	s, err := NewSARIF(sarifName, "v1")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	a := NewAnnotations(&out)
	for _, r := range []Report{j, s, a} {
		for range 12 {
			if err := r.Add(&odd, o); err != nil {
				t.Error(err)
			}
		}
		if err := r.Close(false); err != nil {
			t.Error(err)
		}
	}
	text, err := os.ReadFile(junitName)
	if err != nil || !bytes.Contains(text, []byte(`classname="a b,c:%.jsonl" name="&lt;`)) || !bytes.Contains(text, []byte(`time="0.002500"`)) || bytes.Contains(text, []byte("\x01")) {
		t.Errorf("%v\n%s", err, text)
	}
	var log struct {
		Runs []struct{ Results []sarifResult }
	}
	if text, err = os.ReadFile(sarifName); err == nil {
		err = json.Unmarshal(text, &log)
	}
	if err != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) != 12 {
		t.Fatalf("%v\n%s", err, text)
	}
	if at := log.Runs[0].Results[0].Locations[0].Physical; at.Artifact.URI != "./a%20b,c:%25.jsonl" || at.Region.StartLine != 3 {
		t.Errorf("the place is %+v", at)
	}
	lines := strings.Split(out.String(), "\n")
	if want := "::error file=a b%2Cc%3A%25.jsonl,line=3,title=leadline::a b,c:%25.jsonl#<\ufffd&%0A>: not linearizable: <b> & \ufffd%0A::x"; lines[0] != want {
		t.Errorf("the annotation is\n%q\nwant\n%q", lines[0], want)
	}
	if len(lines) != Annotations+3 || !strings.HasPrefix(lines[Annotations], "::notice title=leadline::2 more") {
		t.Errorf("%d lines: %q", len(lines), lines[Annotations:])
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}
