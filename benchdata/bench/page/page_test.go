package page

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/simulate"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/view"
)

var intValue = history.IntValue

func model(t testing.TB, name string) replay.Spec {
	t.Helper()
	s, err := spec.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// violation is a queue that gives 2 before 1, with an explanation that has
// everything.
func violation(t testing.TB) view.Item {
	one, two, three := []history.Value{intValue(1)}, []history.Value{intValue(2)}, []history.Value{intValue(3)}
	v := item(t, "violation", model(t, "queue"),
		event{process: "a", method: "enqueue", args: one}, event{process: "a"},
		event{process: "b", method: "enqueue", args: two}, event{process: "c", method: "enqueue", args: three}, event{process: "b"},
		event{process: "a", method: "dequeue"}, event{process: "c"}, event{process: "a", result: intValue(2)},
		event{process: "b", method: "dequeue"}, event{process: "b", result: intValue(3)},
		event{process: "c", method: "peek"})
	v.Verdict.Explanation = &replay.Explanation{
		Prefix: 8, Unexplained: 3, States: []string{"[1, 2]", "[1, 2, 3]"}, Returns: [][]history.Value{{intValue(1)}, {}},
		Core: []int32{0, 1, 3}, Free: [][]replay.FreedResult{{{Op: 3, Allowed: []history.Value{intValue(1)}}, {Op: 4, Allowed: []history.Value{intValue(2)}}}},
		Missing: []replay.MissingPart{{Part: "states", Cause: "time"}},
	}
	if v.Verdict.Answer != replay.NotLinearizable {
		t.Fatalf("the verdict is %v", v.Verdict.Answer)
	}
	return v
}

// deep is a linearizable history with delayed operations and a pending one.
func deep(t testing.TB) view.Item {
	one, two := []history.Value{intValue(1)}, []history.Value{intValue(2)}
	v := item(t, "deep", model(t, "register"),
		event{process: "a", method: "write", args: one}, event{process: "b", method: "write", args: two}, event{process: "c", method: "read"},
		event{process: "b"}, event{process: "a"}, event{process: "c", result: intValue(1)},
		event{process: "a", method: "read"}, event{process: "a", result: intValue(2)}, event{process: "d", method: "write", args: one})
	if v.Verdict.Answer != replay.Linearizable {
		t.Fatalf("the verdict is %v", v.Verdict.Answer)
	}
	return v
}

func simulated(t testing.TB, w simulate.Workload) view.Item {
	t.Helper()
	h, err := w.History()
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Spec()
	if err != nil {
		t.Fatal(err)
	}
	h.ID = w.String()
	return checked(t, h, s)
}

func TestViolation(t *testing.T) {
	p := open(t, violation(t))
	p.contains("badge", "✗ not linearizable")
	p.contains("facts", "queue", "6 operations", "3 processes", "1 pending")
	p.contains("panel-why", "3 dequeue(): 2 (process a, line ", "Up to event 7 of 11", "It overlaps 1 operation:", "2 enqueue(3)", "one of 2 states",
		"state it would return [1, 2] 1 [1, 2, 3] it has to wait", "had returned 1 instead of 2", "had returned 2 instead of 3",
		"These 3 of its 6 operations are not linearizable by themselves", "the states before the response: the time is used up", "1 operation never returned")
	p.contains("legend", "minimal sub-history", "another result would do", "never returned")
	want(p, `leadline.model.prefixEnd`, 7)
	want(p, `document.getElementById("tab-order").hidden`, true)

	p.click("jump-unexplained")
	want(p, `leadline.timeline.selected`, 3)
	p.contains("details", "no order explains its response", "another result would do", "in the minimal sub-history", "#3 dequeue(): 2", "line 7", "would do 1 with 1 other change")
	p.click("only-core")
	want(p, `leadline.ops.rows.join()`, "0,1,3")
	want(p, `leadline.timeline.stats.bars`, 3)
	want(p, `document.getElementById("only-core").getAttribute("aria-pressed")`, "true")
	p.choose("show", "before")
	want(p, `leadline.ops.rows.join()`, "0,1,2,3")
	p.choose("show", "blamed")
	want(p, `leadline.ops.rows.join()`, "3,4")
	p.click("jump-core") // shows all again
	want(p, `leadline.ops.rows.length`, 6)
	p.click("jump-blamed")
	want(p, `leadline.timeline.selected`, 3)
	p.click("jump-blamed")
	want(p, `leadline.timeline.selected`, 4)
	p.click("jump-pending")
	want(p, `leadline.timeline.selected`, 5)
	p.contains("details", "events 10, no response")
}

// TestOpens: the page opens where the failing prefix ends, also in a history that fits, far to the
// right and among many lanes.
func TestOpens(t *testing.T) {
	var events []event
	for i := range 60 { // a lane each
		name := fmt.Sprintf("p%02d", i)
		events = append(events, event{process: name, method: "enqueue", args: []history.Value{intValue(int64(i))}}, event{process: name})
	}
	size := []event{{process: "q", method: "size"}, {process: "q", result: intValue(60)}}
	for range 40 {
		events = append(events, size...)
	}
	events = append(events, event{process: "z", method: "dequeue"}, event{process: "z", result: intValue(99)})
	for range 40 {
		events = append(events, size...)
	}
	it := item(t, "long", model(t, "queue"), events...)
	p := open(t, it)
	want(p, `leadline.model.unexplained`, 100)
	want(p, `leadline.timeline.selected`, 100)
	want(p, inView("leadline.model.unexplained"), true)
	want(p, `(t => t.x(t.time(leadline.model.prefixEnd)) < t.width && t.plotWidth / t.scale < leadline.model.events / 2)(leadline.timeline)`, true)
	want(p, `(t => { const y = t.laneY(t.laneOf[100]); return y > 0 && y < t.height })(leadline.timeline)`, true)
	p.contains("details", "#100 dequeue(): 99")
}

// TestWaits: a call that waits for ever has an open end, and the page says for what it waits.
func TestWaits(t *testing.T) {
	b := history.NewBuilder(history.Header{ID: "waits"})
	for i, ev := range []history.Event{
		{Process: intValue(0), Op: intValue(0), Method: "enqueue", Args: []history.Value{intValue(1)}},
		{Process: intValue(1), Op: intValue(1), Method: "size"},
		{Type: history.OK, Op: intValue(1), Result: intValue(1)},
		{Type: history.Waits, Op: intValue(0), For: "waits at queue.go:7 for sync.Mutex.Lock, held by process 1"},
	} {
		ev.Line = i + 1
		b.Add(&ev)
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, checked(t, h, model(t, "queue")))
	p.contains("panel-why", "this call never returned", "waits at queue.go:7 for sync.Mutex.Lock, held by process 1")
	p.contains("details", "enqueue(1): never returned", "no order explains that it never returned", "waits for ever", "no response")
	p.contains("legend", "dashed, open: never returned")
	want(p, `leadline.model.pending(0)`, true)
}

// TestLanes: operations of a file without processes are in as few lanes as possible. Labels of
// full width take two columns for each character.
func TestLanes(t *testing.T) {
	var events []event
	for i := range 12 {
		name := fmt.Sprintf("p%d", i)
		events = append(events, event{process: name, method: "enqueue", args: []history.Value{history.StringValue("队列")}}, event{process: name})
	}
	it := item(t, "lanes", model(t, "queue"), events...)
	p := open(t, it)
	want(p, `leadline.timeline.lanes.length`, 12)
	it.History.NoProcesses = true
	p = open(t, it)
	want(p, `leadline.timeline.lanes.length`, 1)
	want(p, `document.getElementById("lanes").value`, "packed")
	want(p, `columns("队列")`, 4)
	want(p, `columns("e\u0301")`, 1)
	want(p, `cut("队列队列", 6)`, "队列\u2026")
}

func TestWitness(t *testing.T) {
	it := deep(t)
	p := open(t, it)
	p.contains("badge", "✓ linearizable")
	p.contains("panel-why", fmt.Sprintf("Its depth is %d", it.Verdict.Depth), "chain", "delayed further", "may take effect at any time")
	p.click("tab-order")
	p.contains("panel-order", "write(1)", "write(2)", "read(): 1", "read(): 2")
	want(p, `leadline.model.late.length`, it.Verdict.Depth-1)
	p.click("jump-late")
	want(p, `leadline.timeline.selected`, int(it.Verdict.Index.Tuple[0]))
	p.contains("details", "delayed, no. 1", "place in the order", "state before", "after")
	p.keys("3")
	want(p, `document.getElementById("panel-ops").hidden`, false)
}

// TestPoints: each point of a witness is inside its bar, and points are in the
// order of the witness, in both kinds of time.
func TestPoints(t *testing.T) {
	p := open(t, stamped(t))
	for _, real := range []string{"rank", "real"} {
		p.choose("time", real)
		want(p, `leadline.timeline.real`, real == "real")
		want(p, `leadline.model.order.filter((i, k) => { const t = leadline.timeline, x = t.pointOf(i);
			return !(t.startOf(i) <= x && x <= t.endOf(i) && (k === 0 || x >= t.pointOf(leadline.model.order[k - 1]))) }).length`, 0)
	}
	p = open(t, simulated(t, simulate.Workload{Model: "stack", Ops: 500, Threads: 6, Lost: 20}))
	want(p, `leadline.model.order.length`, 500)
	want(p, `leadline.model.order.filter((i, k) => { const t = leadline.timeline, x = t.pointOf(i);
		return !(t.startOf(i) < x && x < t.endOf(i) && (k === 0 || x > t.pointOf(leadline.model.order[k - 1]))) }).length`, 0)
}

func stamped(t testing.TB) view.Item {
	t.Helper()
	var events []history.Event
	for k, e := range []struct {
		process string
		at      int64
		result  int64
	}{{"a", 1000, 0}, {"b", 1200, 0}, {"c", 90_000, 1}} {
		op := intValue(int64(k))
		method, args, result := "read", []history.Value(nil), intValue(e.result)
		if k == 1 {
			method, args, result = "write", []history.Value{intValue(1)}, history.NoValue
		}
		events = append(events, history.Event{Process: history.StringValue(e.process), Op: op, Method: method, Args: args, At: e.at},
			history.Event{Type: history.OK, Process: history.StringValue(e.process), Op: op, Result: result, At: e.at + 500})
	}
	h, err := history.New(history.Header{ID: "stamped", Order: history.StampOrder}, events)
	if err != nil {
		t.Fatal(err)
	}
	return checked(t, h, model(t, "register"))
}

func TestRealTime(t *testing.T) {
	p := open(t, stamped(t))
	want(p, `document.getElementById("time-label").hidden`, false)
	p.keys("r")
	want(p, `document.getElementById("time").value`, "real")
	want(p, `leadline.timeline.endOf(2) - leadline.timeline.startOf(0)`, 89_500)
	p.keys("r")
	want(p, `leadline.timeline.endOf(2) - leadline.timeline.startOf(0)`, 5)
	p = open(t, deep(t))
	want(p, `document.getElementById("time-label").hidden`, true)
}

// TestOthers: histories that are empty, relaxed, unknown or invalid.
func TestOthers(t *testing.T) {
	p := open(t, item(t, "empty", model(t, "queue")))
	p.contains("facts", "0 operations")

	d := deep(t)
	relaxed := checked(t, d.History.ProgramOrder(), d.Spec)
	p = open(t, relaxed)
	p.contains("panel-why", "an order of the operations respects the order within each process", "Only the order of each process counts", "shows one.")
	want(p, `leadline.timeline.lanes.length`, 4)

	d.Verdict = replay.Verdict{}
	d.Verdict.Cause = replay.Memory
	p = open(t, d)
	p.contains("badge", "? unknown (memory)")
	p.contains("panel-why", "Unknown: neither a witness was found", "--memory")

	p = open(t, view.Item{Name: "bad", Err: errors.New("file:3: what is wrong")})
	p.contains("problem", "file:3: what is wrong")
	p.contains("badge", "invalid")

	h := violation(t)
	h.Verdict.Explanation = &replay.Explanation{Unexplained: replay.NoOperation, Marks: []int32{5}, Edges: []history.Edge{{From: 0, To: 4}}}
	p = open(t, h)
	p.contains("panel-why", "Real time alone can be explained", "5 peek(): pending (line 12) happened", "0 enqueue(1) (line 2) comes before 4 dequeue(): 3 (line 10)")

	h.Verdict.Explanation = &replay.Explanation{Unexplained: replay.NoOperation, Missing: []replay.MissingPart{{Part: "prefix", Cause: "time"}}}
	p = open(t, h)
	p.contains("panel-why", "the shortest prefix that fails: the time is used up")
	want(p, `document.getElementById("panel-why").innerText.includes("Real time alone")`, false)
	want(p, `leadline.model.prefixEnd`, -1)
}

func TestZoom(t *testing.T) {
	p := open(t, simulated(t, simulate.Workload{Model: "kv", Ops: 1000, Threads: 8}))
	span := func() float64 {
		return eval[float64](p, `leadline.timeline.plotWidth / leadline.timeline.scale`)
	}
	whole := span()
	box := eval[[]float64](p, `(b => [b.left, b.top])(leadline.timeline.canvas.getBoundingClientRect())`)
	x, y := box[0]+400, box[1]+100
	at := eval[float64](p, `leadline.timeline.timeAt(400)`)
	p.wheel(x, y, 0, -500, 0)
	p.wait(fmt.Sprintf(`leadline.timeline.plotWidth / leadline.timeline.scale < %g`, whole/2))
	if got := eval[float64](p, `leadline.timeline.timeAt(400)`); math.Abs(got-at) > 0.01*whole {
		t.Errorf("the time below the pointer was %g, is %g", at, got)
	}
	zoomed := span()
	for _, step := range []struct {
		what   string
		do     func()
		factor float64 // of what is visible
	}{
		{"zoom in", func() { p.click("zoom-in") }, 1 / 1.5},
		{"zoom out", func() { p.click("zoom-out") }, 1.5},
		{"+", func() { p.keys("+") }, 1 / 1.5},
		{"-", func() { p.keys("-") }, 1.5},
	} {
		before := span()
		step.do()
		if got := span() / before; math.Abs(got-step.factor) > 0.01 {
			t.Errorf("%s: %g times as much is visible, want %g", step.what, got, step.factor)
		}
	}
	if got := span(); math.Abs(got-zoomed) > 0.01*zoomed {
		t.Errorf("in and out again shows %g, was %g", got, zoomed)
	}
	p.keys("0")
	if got := span(); math.Abs(got-whole) > 0.01*whole {
		t.Errorf("all shows %g, want %g", got, whole)
	}
	p.keys("-")
	if got := span(); got > whole*1.01 {
		t.Errorf("zooming out beyond all shows %g of %g", got, whole)
	}

	// Two fingers.
	touch := func(typ input.DispatchTouchEventType, xs ...float64) {
		t.Helper()
		points := []*input.TouchPoint{}
		for k, at := range xs {
			points = append(points, &input.TouchPoint{X: at, Y: y, ID: new(float64(k + 1))})
		}
		if _, err := chromedp.Call(p.ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: typ, TouchPoints: points}); err != nil {
			t.Fatal(err)
		}
	}
	touch("touchStart", x-40, x+40)
	touch("touchMove", x-60, x+60)
	touch("touchMove", x-120, x+120)
	touch("touchMove", x-160, x+160)
	touch("touchEnd")
	if got := span(); got > whole*0.6 {
		t.Errorf("after spreading two fingers %g of %g are visible", got, whole)
	}
	for range 60 {
		p.run(`leadline.timeline.zoom(1.5)`)
	}
	if got := span(); !(got > 1 && got < 20) {
		t.Errorf("at most %g events are visible when zoomed in", got)
	}
}

func TestPan(t *testing.T) {
	p := open(t, simulated(t, simulate.Workload{Model: "kv", Ops: 1000, Threads: 60}))
	p.run(`leadline.timeline.zoom(10)`)
	left := func() float64 { return eval[float64](p, `leadline.timeline.left * leadline.timeline.scale`) }
	box := eval[[]float64](p, `(b => [b.left, b.top])(leadline.timeline.canvas.getBoundingClientRect())`)
	x, y := box[0]+400, box[1]+200
	for _, c := range []struct {
		what string
		do   func()
		by   float64
	}{
		{"right", func() { p.do(chromedp.Focus(chromedp.ID("timeline"))); p.keys(kb.ArrowRight) }, 80},
		{"left", func() { p.keys(kb.ArrowLeft) }, -80},
		{"drag", func() { p.do(chromedp.DragAndDropXY(x, y, x-150, y, 5)) }, 150},
		{"shift and wheel", func() { p.wheel(x, y, 0, 90, 8) }, 90},
		{"sideways wheel", func() { p.wheel(x, y, -90, 0, 0) }, -90},
	} {
		before := left()
		c.do()
		p.wait(fmt.Sprintf(`Math.abs(leadline.timeline.left * leadline.timeline.scale - %g) < 8`, before+c.by))
		if got := left() - before; math.Abs(got-c.by) > 8 {
			t.Errorf("%s moves by %g pixels, want %g", c.what, got, c.by)
		}
	}
	want(p, `leadline.timeline.selected`, -1) // a drag is not a click
	p.keys(kb.ArrowDown + kb.ArrowDown)
	want(p, `leadline.timeline.scroller.scrollTop`, 120)
	p.do(chromedp.DragAndDropXY(x, y, x, y+50, 5))
	want(p, `leadline.timeline.scroller.scrollTop`, 70)

	// The strip: a click near the end goes there.
	p.do(chromedp.MouseClickXY(eval[float64](p, `leadline.timeline.width - 5`), eval[float64](p, `document.getElementById("overview").getBoundingClientRect().top + 20`)))
	p.wait(`leadline.timeline.left + leadline.timeline.plotWidth / leadline.timeline.scale > leadline.model.events`)
}

func TestSearch(t *testing.T) {
	it := simulated(t, simulate.Workload{Model: "kv", Ops: 1000, Threads: 8})
	p := open(t, it)
	count := func(is func(op *history.Operation) bool) (n int) {
		for i := range it.History.Ops {
			if is(&it.History.Ops[i]) {
				n++
			}
		}
		return n
	}
	has := func(op *history.Operation, v int64) bool {
		found := op.Result.Equal(intValue(v))
		for _, a := range op.Args {
			found = found || a.Equal(intValue(v))
		}
		return found
	}
	for query, is := range map[string]func(op *history.Operation) bool{
		"put":             func(op *history.Operation) bool { return op.Method == "put" },
		"PU":              func(op *history.Operation) bool { return op.Method == "put" },
		"7":               func(op *history.Operation) bool { return has(op, 7) || op.ID().Equal(intValue(7)) },
		"value:7":         func(op *history.Operation) bool { return has(op, 7) },
		"#12":             func(op *history.Operation) bool { return op.ID().Equal(intValue(12)) },
		"key:3 get":       func(op *history.Operation) bool { return op.Method == "get" && op.Args[0].Equal(intValue(3)) },
		"returns:null":    func(op *history.Operation) bool { return op.Result.Kind() == history.Null },
		"process:2":       func(op *history.Operation) bool { return it.History.Processes[op.Process].Equal(intValue(2)) },
		"method:put":      func(op *history.Operation) bool { return op.Method == "put" },
		`"get(3): "`:      func(op *history.Operation) bool { return strings.HasPrefix(op.String(), "get(3): ") },
		"nothing-of-this": func(*history.Operation) bool { return false },
	} {
		p.find("search", query)
		if got, want := eval[int](p, `leadline.matches.length`), count(is); got != want {
			t.Errorf("%s: %d matches, want %d", query, got, want)
		}
	}
	p.find("search", "key:3 put")
	p.run(`document.getElementById("search").focus()`)
	p.keys(kb.Enter + kb.Enter)
	want(p, `leadline.timeline.selected === leadline.matches[1]`, true)
	p.contains("matches", "2 of ")
	p.keys(kb.Escape)
	p.keys("N")
	want(p, `leadline.timeline.selected === leadline.matches[0]`, true)
	p.click("previous")
	want(p, `leadline.timeline.selected === leadline.matches[leadline.matches.length - 1]`, true)
	want(p, inView("leadline.timeline.selected"), true)
	p.choose("show", "matches")
	want(p, `leadline.ops.rows.length === leadline.matches.length`, true)
	p.find("search", "")
	want(p, `leadline.model.flags.some(f => f & 32)`, false)
}

func inView(op string) string {
	return fmt.Sprintf(`(t => t.x(t.startOf(%[1]s)) >= 80 && t.x(t.startOf(%[1]s)) <= t.width)(leadline.timeline)`, op)
}

func TestFilter(t *testing.T) {
	it := simulated(t, simulate.Workload{Model: "kv", Ops: 600, Threads: 8})
	p := open(t, it)
	rows := func() int { return eval[int](p, `leadline.ops.rows.length`) }
	puts, ofKey, ofBoth := 0, 0, 0
	for i := range it.History.Ops {
		op := &it.History.Ops[i]
		put, key := op.Method == "put", op.Args[0].Equal(intValue(4))
		if put {
			puts++
		}
		if key {
			ofKey++
		}
		if put && key {
			ofBoth++
		}
	}
	option := func(id, text string) string {
		return eval[string](p, fmt.Sprintf(`[...document.getElementById(%q).options].find(o => o.text === %q).value`, id, text))
	}
	p.choose("method", option("method", "put"))
	if got := rows(); got != puts {
		t.Errorf("%d puts, want %d", got, puts)
	}
	p.choose("key", option("key", "4"))
	if got := rows(); got != ofBoth {
		t.Errorf("%d puts of a key, want %d", got, ofBoth)
	}
	p.choose("method", "")
	if got := rows(); got != ofKey {
		t.Errorf("%d operations of a key, want %d", got, ofKey)
	}
	p.choose("key", "")
	p.choose("process", option("process", "5"))
	want(p, `leadline.timeline.lanes.length`, 1)
	want(p, `leadline.ops.rows.every(i => leadline.model.process(i) === "5")`, true)
	p.choose("process", "")
	p.choose("lanes", "packed")
	want(p, `leadline.timeline.lanes.length <= 8`, true)
	want(p, `leadline.timeline.lanes.reduce((n, l) => n + l.ops.length, 0)`, 600)
	want(p, `leadline.timeline.lanes.every(l => l.ops.every((i, k) => k === 0 || leadline.model.end[l.ops[k - 1]] < leadline.model.call[i]))`, true)
}

func TestHover(t *testing.T) {
	p := open(t, violation(t))
	x, y := p.place(3)
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
	p.wait(`!document.getElementById("tooltip").hidden`)
	p.contains("tooltip", "#3 dequeue(): 2", "process a, line 7", "no order explains its response", "would do: 1")
	p.do(chromedp.MouseClickXY(x, y))
	want(p, `leadline.timeline.selected`, 3)
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y+400))
	p.wait(`document.getElementById("tooltip").hidden`)
}

func TestArchive(t *testing.T) {
	items := []view.Item{violation(t), deep(t), {Name: "bad", Err: errors.New("bad:1: is bad")}}
	for k := range 200 {
		it := simulated(t, simulate.Workload{Model: "queue", Ops: 4 + k%5, Seed: uint64(k)})
		it.Name = fmt.Sprintf("dir/h%d", k)
		items = append(items, it)
	}
	p := open(t, items...)
	p.contains("title", "203 histories")
	p.contains("facts", "201 linearizable", "1 not linearizable", "1 invalid")
	want(p, `document.querySelectorAll("#archive [role=row]").length < 60`, true)
	first := `leadline.archive.rows[0]`
	want(p, `leadline.archive.rows[1]`, 2) // failures are first, although nothing is sorted yet
	p.run(`[...document.querySelectorAll("#archive [role=columnheader] button")].find(b => b.textContent === "Verdict").click()`)
	want(p, first, 0)
	want(p, `document.querySelector("#archive [role=columnheader]").getAttribute("aria-sort")`, "ascending")
	p.run(`[...document.querySelectorAll("#archive [role=columnheader] button")].find(b => b.textContent === "History").click()`)
	want(p, first, 2)
	p.run(`[...document.querySelectorAll("#archive [role=columnheader] button")].find(b => b.textContent === "History").click()`)
	want(p, first, 0) // "violation" is last by name
	p.choose("archive-verdict", "linearizable")
	want(p, `leadline.archive.rows.length`, 201)
	p.find("archive-search", "h19")
	want(p, `leadline.archive.rows.length`, 11)
	p.contains("archive-count", "11 of 203")

	p.run(`document.querySelector("#archive .rows").focus()`)
	p.keys(kb.End)
	want(p, `document.getElementById("archive").hidden`, false)
	p.keys(kb.Enter)
	p.wait(`leadline.ready !== undefined`)
	p.contains("title", "dir/h19")
	want(p, `location.hash.length > 1`, true)
	p.click("back")
	want(p, `document.getElementById("history").hidden`, true)
	want(p, `leadline.archive.rows.length`, 11)
	p.run(`location.hash = "#0"`)
	p.wait(`leadline.ready === 0`)
	p.contains("panel-why", "no order explains")
	p.run(`location.hash = "#1"`)
	p.wait(`leadline.ready === 1`)
	want(p, `document.querySelectorAll("#panel-why h3").length > 0 && leadline.model.row.name`, "deep")
	p.run(`location.hash = "#2"`)
	p.wait(`!document.getElementById("problem").hidden`)
	p.contains("problem", "bad:1: is bad")
	p.keys("l")
	want(p, `document.getElementById("archive").hidden`, false)
	want(p, `document.getElementById("problem").hidden`, true)
}

// TestInert: no text of a history becomes an element or runs.
func TestInert(t *testing.T) {
	const evil = `</script><script>window.pwned = 1</script><img src=x onerror="window.pwned = 1">`
	v := history.StringValue(evil)
	for _, result := range []history.Value{v, history.ExceptionValue(evil)} {
		h, err := history.New(history.Header{ID: evil, File: evil, Format: evil}, []history.Event{
			{Type: history.Invoke, Process: v, Op: v, Method: evil, Args: []history.Value{v}},
			{Type: history.OK, Process: v, Op: v, Result: result},
		})
		if err != nil {
			t.Fatal(err)
		}
		good := &replay.Model[string]{
			Label: evil, Initial: evil,
			Next: func(s string, _ replay.Invocation) []replay.Step[string] {
				return []replay.Step[string]{{Result: v, Next: s}}
			},
			Key: func(dst []byte, s string) []byte { return append(dst, s...) },
		}
		it := checked(t, h, good)
		p := open(t, it, view.Item{Name: evil, Err: errors.New(evil)})
		p.contains("archive-list", "<img src=x onerror")
		p.run(`location.hash = "#0"`)
		p.wait(`leadline.ready === 0`)
		p.keys("j")
		x, y := p.place(0)
		p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
		p.wait(`!document.getElementById("tooltip").hidden`)
		p.contains("tooltip", "<img src=x onerror")
		p.contains("details", "<img src=x onerror")
		if it.Verdict.Answer == replay.Linearizable {
			p.keys("2")
			p.contains("panel-order", "<img src=x onerror")
		}
		p.find("search", "<img")
		want(p, `leadline.matches.length`, 1)
		want(p, `document.images.length`, 0)
		want(p, `window.pwned === undefined`, true)
		p.run(`location.hash = "#1"`)
		p.wait(`!document.getElementById("problem").hidden`)
		want(p, `document.images.length`, 0)
	}
}

// TestWork: a frame draws no more bars than are in view, and no more than there are
// pixels.
func TestWork(t *testing.T) {
	p := open(t, simulated(t, simulate.Workload{Model: "kv", Ops: 10_000, Threads: 8}))
	stats := func() (bars, inView float64) {
		got := eval[map[string]float64](p, `leadline.timeline.stats`)
		return got["bars"], got["inView"]
	}
	bars, inView := stats()
	pixels := eval[float64](p, `leadline.timeline.width * leadline.timeline.lanes.length`)
	if inView != 10_000 || bars > pixels || bars < 100 {
		t.Errorf("of %g operations in view, %g are drawn on %g pixels", inView, bars, pixels)
	}
	p.run(`leadline.timeline.zoom(100)`)
	if bars, inView = stats(); inView > 300 || bars > inView || bars == 0 {
		t.Errorf("zoomed in, %g are in view and %g are drawn", inView, bars)
	}
	frames := eval[float64](p, `leadline.timeline.stats.frames`)
	p.run(`for (let k = 0; k < 100; k++) leadline.timeline.pan(1)`)
	if more := eval[float64](p, `leadline.timeline.stats.frames`) - frames; more > 3 {
		t.Errorf("100 moves within a frame are drawn %g times", more)
	}
	p.find("search", "put")
	p.run(`leadline.timeline.fit()`)
	if bars, _ = stats(); bars > pixels+pixels/5 {
		t.Errorf("with %d matches, %g bars are drawn on %g pixels", eval[int](p, `leadline.matches.length`), bars, pixels)
	}
}

// TestMarked: an operation that is marked is drawn, however many are in its pixel.
func TestMarked(t *testing.T) {
	it := simulated(t, simulate.Workload{Model: "kv", Ops: 10_000, Threads: 2, Faults: []simulate.Fault{{Kind: simulate.Wrong, Percent: 50}}})
	if it.Verdict.Explanation == nil {
		t.Fatal("there is no explanation")
	}
	p := open(t, it)
	want(p, inView("leadline.model.unexplained"), true)
	p.keys("0")
	p.run(`leadline.timeline.selected = -1; const t = leadline.timeline, drawBar = t.drawBar; leadline.drawn = [];
		t.drawBar = (g, i, ...rest) => { leadline.drawn.push(i); drawBar.call(t, g, i, ...rest) }; t.invalidate()`)
	want(p, `leadline.drawn.includes(leadline.model.unexplained)`, true)
	want(p, `new Set(leadline.drawn).size === leadline.drawn.length`, true)
}

// BenchmarkOpen opens a page with 10,000 operations and reports when the browser
// first painted.
func BenchmarkOpen(b *testing.B) {
	it := simulated(b, simulate.Workload{Model: "kv", Ops: 10_000, Threads: 8})
	for b.Loop() {
		p := open(b, it)
		b.ReportMetric(eval[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`), "ms-first-paint")
		b.ReportMetric(eval[float64](p, `(() => { const t = leadline.timeline, from = performance.now();
			for (let k = 0; k < 50; k++) { t.pan(1); t.draw() } return (performance.now() - from) / 50 })()`), "ms/frame")
	}
}
