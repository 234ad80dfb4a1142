package page

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/view"
)

var browser struct {
	sync.Once
	ctx    context.Context
	cancel context.CancelFunc
	err    error
}

func TestMain(m *testing.M) {
	status := m.Run()
	if browser.cancel != nil {
		browser.cancel()
	}
	os.Exit(status)
}

// start returns the context of the one browser, or skips the test.
func start(t testing.TB) context.Context {
	t.Helper()
	browser.Do(func() {
		path := ""
		for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome", "headless-shell"} {
			if found, err := exec.LookPath(name); err == nil {
				path = found
				break
			}
		}
		if path == "" {
			browser.err = errors.New("no Chromium is found")
			return
		}
		options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path)}
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox)
		}
		browser.ctx, browser.cancel = chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(options...))
		if err := chromedp.Do(browser.ctx); err != nil {
			browser.err = fmt.Errorf("%s does not start: %w", path, err)
		}
	})
	if browser.err != nil {
		t.Skip(browser.err)
	}
	return browser.ctx
}

// A tab shows one page. At the end of the test, its console must be empty and it
// must have loaded nothing but the page.
type tab struct {
	testing.TB
	ctx context.Context
	mu  sync.Mutex
	bad []string
}

func open(t testing.TB, items ...view.Item) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(view.Write(out, items...), out.Close()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(start(t))
	t.Cleanup(cancel)
	p := &tab{TB: t, ctx: ctx}
	err = chromedp.Listen(ctx, func(ev any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch e := ev.(type) {
		case *runtime.EventConsoleAPICalled:
			p.bad = append(p.bad, fmt.Sprintf("console: %s", e.Args[0].Value))
		case *runtime.EventExceptionThrown:
			p.bad = append(p.bad, fmt.Sprintf("exception: %+v", e.ExceptionDetails.Exception))
		case *log.EventEntryAdded:
			p.bad = append(p.bad, "log: "+e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, "file://"+file) {
				p.bad = append(p.bad, "request: "+e.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); return err },
		func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err },
	} {
		if err := enable(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, text := range p.bad {
			t.Error(text)
		}
	})
	p.do(chromedp.EmulateViewport(1200, 800), chromedp.Navigate("file://"+file))
	p.wait(`!document.getElementById("archive").hidden || leadline.ready !== undefined || !document.getElementById("problem").hidden`)
	return p
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// eval returns the value of an expression, after the frame that is due.
func eval[T any](p *tab, expression string) T {
	p.Helper()
	const frame = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(eval_()))))`
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T]("(() => { const eval_ = () => ("+expression+"); return "+frame+" })()", chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return v
}

// run runs statements.
func (p *tab) run(statements string) {
	p.Helper()
	eval[bool](p, "(() => { "+statements+"; return true })()")
}

// wait waits until an expression is true. The tries are so many that only a page
// that hangs fails.
func (p *tab) wait(expression string) {
	p.Helper()
	for range 1000 {
		if eval[bool](p, "!!("+expression+")") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.Fatalf("never true: %s", expression)
}

// want checks the value of an expression.
func want[T comparable](p *tab, expression string, value T) {
	p.Helper()
	if got := eval[T](p, expression); got != value {
		p.Errorf("%s is %v, want %v", expression, got, value)
	}
}

// contains checks that the text of an element has some parts.
func (p *tab) contains(id string, parts ...string) {
	p.Helper()
	text := eval[string](p, fmt.Sprintf("document.getElementById(%q).innerText", id))
	text = strings.Join(strings.Fields(text), " ")
	for _, part := range parts {
		if !strings.Contains(text, part) {
			p.Errorf("#%s lacks %q: %s", id, part, text)
		}
	}
}

func (p *tab) click(id string) {
	p.Helper()
	p.do(chromedp.Click(chromedp.ID(id)))
}

// keys presses keys. Package kb has runes for keys without a letter.
func (p *tab) keys(keys string) {
	p.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// choose picks an option of a select element.
func (p *tab) choose(id, value string) {
	p.Helper()
	p.run(fmt.Sprintf(`const s = document.getElementById(%q); s.value = %q; if (s.value !== %q) throw new Error("no such option"); s.dispatchEvent(new Event("change"))`, id, value, value))
}

// find types a query.
func (p *tab) find(id, query string) {
	p.Helper()
	p.run(fmt.Sprintf(`const s = document.getElementById(%q); s.value = %q; s.dispatchEvent(new Event("input"))`, id, query))
}

// place returns the middle of the visible part of an operation's bar.
func (p *tab) place(op int) (x, y float64) {
	p.Helper()
	at := eval[[]float64](p, fmt.Sprintf(`(() => { const t = leadline.timeline, box = t.canvas.getBoundingClientRect();
		const x0 = Math.max(92, t.x(t.startOf(%[1]d))), x1 = Math.min(t.width, t.x(t.endOf(%[1]d)));
		return [box.left + (x0 + x1) / 2, box.top + t.laneY(t.laneOf[%[1]d]) + 10] })()`, op))
	return at[0], at[1]
}

func (p *tab) wheel(x, y, dx, dy float64, modifiers int64) {
	p.Helper()
	p.do(chromedp.MouseEvent(chromedp.MouseWheel, x, y, func(m *input.DispatchMouseEventParams) {
		// A zero would be left out, and both are expected.
		m.DeltaX, m.DeltaY, m.Modifiers = dx+1e-9, dy+1e-9, modifiers
	}))
}

// event is an invocation or a response of a process.
type event struct {
	process, method string // method "" is a response
	args            []history.Value
	result          history.Value
}

// item checks a history of events against a specification.
func item(t testing.TB, name string, s replay.Spec, events ...event) view.Item {
	t.Helper()
	var list []history.Event
	for k, e := range events {
		ev := history.Event{Process: history.StringValue(e.process), Method: e.method, Args: e.args, Result: e.result, Line: k + 2}
		if e.method == "" {
			ev.Type = history.OK
		}
		list = append(list, ev)
	}
	h, err := history.New(history.Header{ID: name, File: "file"}, list)
	if err != nil {
		t.Fatal(err)
	}
	return checked(t, h, s)
}

func checked(t testing.TB, h *history.History, s replay.Spec) view.Item {
	t.Helper()
	v, err := decide.Check(context.Background(), h, s, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v.Explanation = explain.Why(context.Background(), h, s, v, replay.Options{})
	return view.Item{Name: h.ID, History: h, Spec: s, Verdict: v}
}
