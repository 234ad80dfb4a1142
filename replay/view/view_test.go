package view

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/report"
	"github.com/leadline/leadline/replay/simulate"
	"github.com/leadline/leadline/replay/spec"
)

var dataElement = regexp.MustCompile(`(?s)<script type="text/plain" id="h(\d+)">([A-Za-z0-9+/=]*)</script>`)

// unpack returns the data of the histories in a page.
func unpack(t *testing.T, text string) []page {
	t.Helper()
	var all []page
	for k, found := range dataElement.FindAllStringSubmatch(text, -1) {
		if found[1] != fmt.Sprint(k) {
			t.Fatalf("history %d has the number %s", k, found[1])
		}
		packed, err := base64.StdEncoding.DecodeString(found[2])
		if err != nil {
			t.Fatal(err)
		}
		zip, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		var p page
		if err := json.NewDecoder(zip).Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// write returns the page about the items and its data.
func write(t *testing.T, items ...Item) (string, []page) {
	t.Helper()
	var out strings.Builder
	if err := Write(&out, items...); err != nil {
		t.Fatal(err)
	}
	return out.String(), unpack(t, out.String())
}

// parse makes a history of lines "process method arguments -> result" for
// operations one after another, with "..." for pending ones; a line "(" begins
// a group whose operations overlap, ")" ends it.
func parse(t *testing.T, model, text string) (*history.History, replay.Spec) {
	t.Helper()
	var events, open []history.Event
	overlap := false
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "(" || line == ")" {
			overlap = line == "("
			events, open = append(events, open...), nil
			continue
		}
		call, result, _ := strings.Cut(line, " ->")
		process, call, _ := strings.Cut(call, " ")
		method, args, _ := strings.Cut(call, " ")
		list, err := history.ParseValue("[" + args + "]")
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, history.Event{Type: history.Invoke, Process: history.StringValue(process), Method: method, Args: list.List(), Line: len(events) + 1})
		if result = strings.TrimSpace(result); result == "..." {
			continue
		}
		value, err := history.ParseValue(result)
		if err != nil {
			t.Fatal(err)
		}
		ret := history.Event{Type: history.OK, Process: history.StringValue(process), Result: value}
		if overlap {
			open = append(open, ret)
		} else {
			events = append(events, ret)
		}
	}
	h, err := history.New(history.Header{ID: "h", Model: model}, append(events, open...))
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.Parse(model)
	if err != nil {
		t.Fatal(err)
	}
	return h, s
}

func check(t testing.TB, h *history.History, s replay.Spec) Item {
	t.Helper()
	v, err := decide.Check(context.Background(), h, s, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v.Explanation = explain.Why(context.Background(), h, s, v, replay.Options{})
	return Item{History: h, Spec: s, Verdict: v}
}

func TestWitness(t *testing.T) {
	h, s := parse(t, "queue", `
		(
		A enqueue 1 ->
		B enqueue 2 ->
		)
		A dequeue -> 2
		C enqueue 3 -> ...
		B dequeue -> 1`)
	item := check(t, h, s)
	_, data := write(t, item)
	p := data[0]
	if got := fmt.Sprint(p.Call, p.Return, p.Processes); got != "[0 1 4 6 7] [2 3 5 -1 8] [A B C]" {
		t.Errorf("calls, returns and processes are %s", got)
	}
	if !slices.Equal(p.Witness, item.Verdict.Witness) || len(p.Witness) != 5 {
		t.Errorf("the witness is %v, want %v", p.Witness, item.Verdict.Witness)
	}
	if p.States == nil || p.States.Initial != "[]" || len(p.States.Text) != 5 || p.States.Text[1] != "[2, 1]" {
		t.Errorf("the states are %+v", p.States)
	}
	if got := p.States.Result; len(got) != 1 || !strings.Contains(fmt.Sprint(got), "nothing") {
		t.Errorf("results of pending operations are %v", got)
	}
	var texts []string
	for i := range p.Method {
		texts = append(texts, p.Texts[p.Method[i]]+" "+p.Texts[p.Args[i]]+" "+p.Texts[p.Result[i]])
	}
	if got := strings.Join(texts, "; "); got != "enqueue 1 ; enqueue 2 ; dequeue  2; enqueue 3 ?; dequeue  1" {
		t.Errorf("operations are %s", got)
	}
	if item.Verdict.Depth < 1 || !slices.Equal(p.Tuple, item.Verdict.Index.Tuple) {
		t.Errorf("the tuple is %v, want %v", p.Tuple, item.Verdict.Index.Tuple)
	}
}

// TestIdle: a pending operation that the object has no transition for did not
// take effect.
func TestIdle(t *testing.T) {
	h, s := parse(t, "mutex", "A lock ->\nB lock -> ...")
	_, data := write(t, check(t, h, s))
	if p := data[0]; !slices.Equal(p.States.Idle, []int32{1}) || p.States.Fault != "" {
		t.Errorf("the states are %+v", p.States)
	}
}

func TestExplanation(t *testing.T) {
	h, s := parse(t, "kv", "A put 1, 5 ->\nB get 1 -> 6\nA get 2 -> null")
	v := replay.Verdict{C: 1, Explanation: &replay.Explanation{
		Prefix: 4, Unexplained: 1, States: []string{"{1=5}"}, Returns: [][]history.Value{{history.IntValue(5)}}, MoreStates: true,
		Core: []int32{0, 1}, Free: [][]replay.FreedResult{{{Op: 1, Allowed: []history.Value{history.IntValue(5), history.NoValue}}}},
		Missing: []replay.MissingPart{{Part: "states", Cause: "time"}},
		Marks:   []int32{0}, Edges: []history.Edge{{From: 0, To: 1}},
	}}
	v.Answer, v.Conflict = replay.NotLinearizable, []int32{1}
	_, data := write(t, Item{Name: "a name", History: h, Spec: s, Verdict: v})
	why, err := json.Marshal(data[0].Why)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"unexplained":1,"core":[0,1],"free":[[{"op":1,"allowed":["5","nothing"]}]]}`
	if string(why) != want {
		t.Errorf("the explanation is\n%s\nwant\n%s", why, want)
	}
	if p := data[0]; !slices.Equal(p.Clash, []int32{1}) || p.Witness != nil || p.States != nil {
		t.Errorf("conflict %v, witness %v, states %v", p.Clash, p.Witness, p.States)
	}
	var parts []string
	for _, part := range data[0].Part {
		parts = append(parts, data[0].Texts[part])
	}
	if fmt.Sprint(parts) != "[1 1 2]" {
		t.Errorf("the keys are %v", parts)
	}
}

// TestSentences: a page has the sentences of the text report, and counts what it leaves out.
func TestSentences(t *testing.T) {
	h, s := parse(t, "mutex", `
		A lock ->
		(
		B unlock ->
		C tryLock -> true
		D tryLock -> false
		)
		A tryLock -> true`)
	v := check(t, h, s).Verdict
	if v.Answer != replay.NotLinearizable {
		t.Fatalf("the verdict is %v", v)
	}
	e := v.Explanation
	e.States, e.Returns = []string{"free", "held", "lost"}, [][]history.Value{{history.BoolValue(true)}, {}, nil}
	e.Earlier = []history.Value{history.BoolValue(false)}
	for range 30 {
		e.Free = append(e.Free, []replay.FreedResult{{Op: 2, Allowed: []history.Value{history.BoolValue(false)}}, {Op: 3}})
	}
	e.Missing = []replay.MissingPart{{Part: "blame", Cause: "work"}}
	deep, queue := parse(t, "queue", "(\nA enqueue 1 ->\nB enqueue 2 ->\nC dequeue -> 2\n)\nA dequeue -> 1")
	unknown := replay.Verdict{Finding: replay.Finding{Cause: replay.Time}}
	for _, item := range []Item{{History: h, Spec: s, Verdict: v}, check(t, deep, queue), {History: h, Spec: s, Verdict: unknown}} {
		_, data := write(t, item)
		var text strings.Builder
		if err := report.Explain(&text, item.History, item.Spec, &item.Verdict, report.Options{Width: 240}); err != nil {
			t.Fatal(err)
		}
		if len(data[0].Reason) == 0 {
			t.Error("the page has no reason")
		}
		for _, passage := range data[0].Reason {
			if !strings.Contains(text.String(), passage.Text) {
				t.Errorf("the text has no %q:\n%s", passage.Text, &text)
			}
			for _, i := range passage.Items {
				if !passage.Core && !(strings.Contains(text.String(), i.Text) && strings.Contains(text.String(), i.Then)) {
					t.Errorf("the text has no %q, %q:\n%s", i.Text, i.Then, &text)
				}
			}
		}
		if item.Verdict.Answer == replay.NotLinearizable {
			for _, want := range []string{"tryLock() returns true", "tryLock() has to wait", "tryLock() has taken effect earlier", "and 22 more", "returned something else instead of false"} {
				if !strings.Contains(text.String(), want) {
					t.Errorf("the text has no %q:\n%s", want, &text)
				}
			}
		}
	}
}

// TestRanks: operations that did not happen leave no gap, and stamps keep to their
// events.
func TestRanks(t *testing.T) {
	p := history.StringValue
	events := []history.Event{
		{Type: history.Invoke, Process: p("a"), Op: p("x"), Method: "write", Args: []history.Value{p("v")}, At: -5},
		{Type: history.Invoke, Process: p("b"), Op: p("y"), Method: "read", At: 3},
		{Type: history.Fail, Process: p("b"), Op: p("y"), At: 4},
		{Type: history.OK, Process: p("a"), Op: p("x"), At: 10},
		{Type: history.Invoke, Process: p("b"), Op: p("z"), Method: "read", At: 12},
	}
	h, err := history.New(history.Header{Order: history.StampOrder}, events)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := spec.Parse("register")
	_, data := write(t, check(t, h, s))
	got := data[0]
	if text := fmt.Sprint(got.Call, got.Return, got.Start, got.Stamps, got.Dropped); text != "[0 2] [1 -1]-5[0 15 2] 1" {
		t.Errorf("calls, returns, start, stamps, dropped: %s", text)
	}
	if len(got.ID) != 2 || got.Texts[got.ID[1]] != "z" {
		t.Errorf("the identifiers are %v of %v", got.ID, got.Texts)
	}
}

// TestRelaxed: each process has places of its own, and its order is not an edge.
func TestRelaxed(t *testing.T) {
	h, s := parse(t, "register", "A write 1 ->\nB read -> 0\nA write 2 ->\nB read -> 1")
	_, data := write(t, check(t, h.ProgramOrder(), s))
	p := data[0]
	if got := fmt.Sprint(p.Relaxed, p.Call, p.Return, len(p.Edges)); got != "true [0 0 2 2] [1 1 3 3] 0" {
		t.Errorf("relaxed, calls, returns, edges: %s", got)
	}
}

// TestInert: nothing in a history becomes markup, wherever it is.
func TestInert(t *testing.T) {
	const evil = `</script><img src=x onerror="alert(1)"><!-- ]]> & '`
	v := history.StringValue(evil)
	h, err := history.New(history.Header{ID: evil, File: evil, Model: evil, Format: evil}, []history.Event{
		{Type: history.Invoke, Process: v, Op: v, Method: evil, Args: []history.Value{v}},
		{Type: history.OK, Process: v, Op: v, Result: history.ExceptionValue(evil)},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &replay.Model[string]{
		Label: evil, Initial: evil,
		Next: func(s string, _ replay.Invocation) []replay.Step[string] {
			return []replay.Step[string]{{Result: history.ExceptionValue(evil), Next: s}}
		},
		Key: func(dst []byte, s string) []byte { return append(dst, s...) },
	}
	items := []Item{check(t, h, s), {Name: evil, Err: errors.New(evil)}}
	if items[0].Verdict.Answer != replay.Linearizable {
		t.Fatalf("the verdict is %v", items[0].Verdict.Answer)
	}
	page, data := write(t, items...)
	empty, _ := write(t)
	for _, text := range []string{"<img", "<!-- ", "]]>", "<script", "</script"} {
		more := 0
		if strings.HasSuffix(text, "script") {
			more = 1 // the history
		}
		if got, want := strings.Count(page, text), strings.Count(empty, text)+more; got != want {
			t.Errorf("the page has %q %d times, want %d", text, got, want)
		}
	}
	if got := data[0].States.Text; len(got) != 1 || got[0] != evil {
		t.Errorf("the states are %q", got)
	}
}

// TestEscaped: no text has characters that reorder or hide what surrounds them.
func TestEscaped(t *testing.T) {
	evil := "B" + hidden
	v := history.StringValue(evil)
	events := []history.Event{
		{Type: history.Invoke, Process: v, Op: v, Method: evil, Args: []history.Value{v}},
		{Type: history.OK, Process: v, Op: v, Result: history.ExceptionValue(evil)},
	}
	h, err := history.New(history.Header{ID: evil, File: evil, Model: evil, Format: evil}, events)
	if err != nil {
		t.Fatal(err)
	}
	for _, correct := range []bool{true, false} {
		s := &replay.Model[string]{
			Label: evil, Initial: evil,
			Next: func(s string, _ replay.Invocation) []replay.Step[string] {
				result := history.ExceptionValue(evil)
				if !correct {
					result = v
				}
				return []replay.Step[string]{{Result: result, Next: s}}
			},
			Key: func(dst []byte, s string) []byte { return append(dst, s...) },
		}
		item := check(t, h, s)
		item.Steps = "one" + hidden + "\ntwo"
		if item.Verdict.Answer == replay.Undecided || !correct && item.Verdict.Explanation == nil {
			t.Fatalf("the verdict is %v", item.Verdict.Answer)
		}
		page, data := write(t, item, Item{Name: evil, Err: errors.New(evil)})
		_, index, _ := strings.Cut(page, `id="index">`)
		index, _, _ = strings.Cut(index, "</script>")
		p := &data[0]
		if got := p.Processes[0]; got != `B\u202a\u202e\u2066\u2069\u200e\u200f` {
			t.Errorf("the process is %q", got)
		}
		if !strings.HasSuffix(p.Steps, "\ntwo") {
			t.Errorf("the steps are %q", p.Steps)
		}
		all, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if text := index + string(all); strings.ContainsAny(text, hidden) {
			t.Errorf("unescaped: %q", text)
		}
	}
}

// hidden has characters that change the order of a text.
const hidden = "\u202a\u202e\u2066\u2069\u200e\u200f"

// TestPolicy: the page allows its own script and style and nothing else.
func TestPolicy(t *testing.T) {
	page, _ := write(t)
	for _, tag := range []string{"style", "script"} {
		_, text, _ := strings.Cut(page, "<"+tag+">")
		text, _, found := strings.Cut(text, "</"+tag+">")
		sum := sha256.Sum256([]byte(text))
		want := tag + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		if !found || !strings.Contains(page, want) {
			t.Errorf("the policy lacks %s", want)
		}
	}
	if !strings.Contains(page, `content="default-src 'none'; style-src`) {
		t.Error("the policy allows other sources")
	}
	if strings.Contains(page, "http://") || strings.Contains(page, "https://") || strings.Contains(page, "{{") {
		t.Error("the page names an address or has a place that was not filled")
	}
}

func TestLimits(t *testing.T) {
	h, s := parse(t, "register", "A read -> 0")
	item := check(t, h, s)
	full := func(histories int, bytes int64) (added int, page string) {
		t.Helper()
		var out strings.Builder
		w := NewWriter(&out)
		w.histories, w.bytes = histories, bytes
		for range 5 {
			switch err := w.Add(item); {
			case err == nil:
				added++
			case !errors.Is(err, ErrFull):
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := len(unpack(t, out.String())); got != added {
			t.Errorf("the page has %d histories, %d were added", got, added)
		}
		return added, out.String()
	}
	_, one := full(1, MaxBytes)
	size := int64(len(dataElement.FindStringSubmatch(one)[2]) + len(nameOf(&item)) + len(s.Name()))
	for _, c := range []struct {
		histories int
		bytes     int64
		want      int
	}{{4, MaxBytes, 4}, {5, MaxBytes, 5}, {6, MaxBytes, 5}, {9, 3*size - 1, 2}, {9, 3 * size, 3}, {9, 5 * size, 5}} {
		added, page := full(c.histories, c.bytes)
		if added != c.want {
			t.Errorf("%d histories and %d bytes: %d were added, want %d", c.histories, c.bytes, added, c.want)
		}
		if got := strings.Contains(page, `"full":true`); got != (added < 5) {
			t.Errorf("%d of 5 histories, but full is %v", added, got)
		}
	}
	if err := Write(io.Discard, Item{}); err == nil {
		t.Error("an item without a history is accepted")
	}
}

// failing fails after n bytes.
type failing struct{ n int }

func (f *failing) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, errors.New("no room")
	}
	return len(p), nil
}

func TestWriteError(t *testing.T) {
	h, s := parse(t, "register", "A read -> 0")
	for n := range 3 {
		if err := Write(&failing{n * 25_000}, check(t, h, s)); err == nil || err.Error() != "no room" {
			t.Errorf("after %d bytes: %v", n*25_000, err)
		}
	}
}

// TestStatesBudget: states that are left out are spread, and the others are right.
func TestStatesBudget(t *testing.T) {
	w := simulate.Workload{Model: "queue", Ops: 2000, Fill: 200, Seed: 3}
	h, err := w.History()
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Spec()
	if err != nil {
		t.Fatal(err)
	}
	witness := check(t, h, s).Verdict.Witness
	all := replayWitness(h, s, witness, 1<<30)
	total := 0
	for _, text := range all.Text {
		total += len(text)
	}
	if len(all.Step) != len(witness) {
		t.Fatalf("%d of %d states", len(all.Step), len(witness))
	}
	for _, budget := range []int{total / 10, total / 2} {
		some := replayWitness(h, s, witness, budget)
		spent, gap := 0, 0
		for k, step := range some.Step {
			if some.Text[k] != all.Text[step] {
				t.Fatalf("the state after step %d is %s, want %s", step, some.Text[k], all.Text[step])
			}
			spent += len(some.Text[k])
			if k > 0 {
				gap = max(gap, int(step-some.Step[k-1]))
			}
		}
		if spent > budget+2000 || spent < budget*9/10 {
			t.Errorf("a budget of %d bytes, %d were spent", budget, spent)
		}
		if most := 6 * len(witness) / len(some.Step); gap > most {
			t.Errorf("%d steps without a state, of %d with %d", gap, len(witness), len(some.Step))
		}
	}
}

// TestNondeterministic: the object may be in several states.
func TestNondeterministic(t *testing.T) {
	one, two := history.IntValue(1), history.IntValue(2)
	s := &replay.Model[int]{
		Label: "coin",
		Next: func(s int, inv replay.Invocation) []replay.Step[int] {
			if inv.Method == "toss" {
				return []replay.Step[int]{{Next: 1}, {Next: 2}}
			}
			return []replay.Step[int]{{Result: history.IntValue(int64(s)), Next: s}}
		},
		Key: func(dst []byte, s int) []byte { return append(dst, byte(s)) },
	}
	a := history.StringValue("a")
	for _, result := range []history.Value{one, two, history.UnknownValue} {
		h, err := history.New(history.Header{}, []history.Event{
			{Type: history.Invoke, Process: a, Method: "toss"}, {Type: history.OK, Process: a},
			{Type: history.Invoke, Process: a, Method: "see"}, {Type: history.OK, Process: a, Result: result},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := replayWitness(h, s, []int32{0, 1}, statesBudget)
		last, unknown := result.String(), ""
		if result.Kind() == history.Unknown {
			last, unknown = "1 or 2", "1 or 2"
		}
		if got.Fault != "" || !slices.Equal(got.Text, []string{"1 or 2", last}) || got.Result[1] != unknown {
			t.Errorf("see: %v has the states %+v", result, got)
		}
		if bad := replayWitness(h, s, []int32{1, 0}, statesBudget); result.Kind() != history.Unknown && bad.Fault == "" {
			t.Errorf("see: %v before toss has no fault", result)
		}
	}
}

// TestPanic: a specification that panics costs the states, not the page.
func TestPanic(t *testing.T) {
	s := &replay.Model[int]{
		Label: "broken", Next: func(int, replay.Invocation) []replay.Step[int] { panic("no") },
		Key: func(dst []byte, _ int) []byte { return dst }, Describe: func(int) string { return "s" },
	}
	h, _ := parse(t, "register", "A read -> 0")
	var v replay.Verdict
	v.Answer, v.Witness = replay.Linearizable, []int32{0}
	_, data := write(t, Item{History: h, Spec: s, Verdict: v})
	if got := data[0].States; got == nil || got.Fault != "the specification panicked" {
		t.Errorf("the states are %+v", got)
	}
}

// TestSize: 10,000 operations take less than 3 MB, and the same history gives the
// same bytes.
func TestSize(t *testing.T) {
	for _, w := range []simulate.Workload{
		{Model: "kv", Ops: 10_000, Threads: 8},
		{Model: "queue", Ops: 10_000, Threads: 16, Fill: 500},
		{Model: "set", Ops: 10_000, Threads: 8, Lost: 10},
	} {
		h, err := w.History()
		if err != nil {
			t.Fatal(err)
		}
		s, err := w.Spec()
		if err != nil {
			t.Fatal(err)
		}
		item := check(t, h, s)
		page, data := write(t, item)
		if len(page) > 3_000_000 {
			t.Errorf("%v: the page has %d bytes", w, len(page))
		}
		if data[0].States == nil || len(data[0].States.Step) < 1000 {
			t.Errorf("%v: the page has few states", w)
		}
		t.Logf("%v: %d bytes, %d states", w, len(page), len(data[0].States.Step))
		if again, _ := write(t, item); again != page {
			t.Errorf("%v: the page differs the second time", w)
		}
	}
}

func TestNames(t *testing.T) {
	h := &history.History{Header: history.Header{File: "f", ID: "i"}}
	for _, c := range []struct {
		item Item
		want string
	}{
		{Item{Name: "n", History: h}, "n"}, {Item{History: h}, "f#i"}, {Item{}, "history"},
		{Item{History: &history.History{Header: history.Header{File: "f"}}}, "f"},
		{Item{History: &history.History{Header: history.Header{ID: "i"}}}, "i"},
		{Item{History: &history.History{}}, "history"},
	} {
		if got := nameOf(&c.item); got != c.want {
			t.Errorf("the name is %q, want %q", got, c.want)
		}
	}
}
