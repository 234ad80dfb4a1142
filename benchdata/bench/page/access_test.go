package page

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/leadline/leadline/replay/simulate"
)

func TestKeyboard(t *testing.T) {
	p := open(t, violation(t))
	selected := func(keys string, want int) {
		t.Helper()
		p.keys(keys)
		if got := eval[int](p, `leadline.timeline.selected`); got != want {
			t.Errorf("after %q, %d is selected, want %d", keys, got, want)
		}
	}
	selected(kb.Escape, -1) // the page opens at the unexplained response
	selected("j", 0)
	selected("jj", 2)
	selected("k", 1)
	selected(kb.Escape, -1)
	selected("u", 3)
	selected("b", 3)
	selected("b", 4)
	selected("c", 0)
	selected("p", 5)
	selected("kkkkkkkk", 0)
	p.contains("live", "operation 0, process a: enqueue(1)")
	p.keys("o")
	want(p, `leadline.ops.rows.length`, 3)
	p.keys("o")
	want(p, `leadline.ops.rows.length`, 6)
	p.keys("3")
	want(p, `document.getElementById("tab-ops").getAttribute("aria-selected")`, "true")
	p.keys("2") // a tab that this history does not have
	want(p, `document.getElementById("tab-ops").getAttribute("aria-selected")`, "true")
	p.keys("1")
	want(p, `document.getElementById("panel-why").hidden`, false)
	p.keys("/")
	want(p, `document.activeElement.id`, "search")
	p.keys("j") // is text there
	want(p, `document.getElementById("search").value.endsWith("j")`, true)
	want(p, `leadline.timeline.selected`, 0)
	p.keys(kb.Escape)
	p.keys("?")
	want(p, `document.getElementById("help").open`, true)
	p.contains("help-keys", "next operation", "unexplained response")
	p.keys("j")
	want(p, `leadline.timeline.selected`, 0)
	p.keys(kb.Escape)
	want(p, `document.getElementById("help").open`, false)
	p.run(`document.activeElement.blur(); document.getElementById("keys-on").checked = false`)
	selected("j", 0)

	// Tab reaches everything, and what has the focus is seen.
	seen := map[string]bool{}
	for range 40 {
		p.keys(kb.Tab)
		id := eval[string](p, `document.activeElement.id || document.activeElement.className || document.activeElement.tagName`)
		if id != "BODY" && !eval[bool](p, `getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
			t.Errorf("%s has no visible focus", id)
		}
		seen[id] = true
	}
	for _, id := range []string{"theme", "help-button", "search", "previous", "next", "method", "process", "show", "lanes", "zoom-out", "zoom-in", "fit",
		"jump-unexplained", "jump-blamed", "jump-core", "only-core", "jump-pending", "timeline", "tab-why", "panel-why"} {
		if !seen[id] {
			t.Errorf("Tab does not reach %s", id)
		}
	}
}

// TestTable: the table of operations has few rows in the document and is used by
// keys.
func TestTable(t *testing.T) {
	p := open(t, simulated(t, simulate.Workload{Model: "kv", Ops: 3000, Threads: 8}))
	p.keys("3")
	p.run(`document.querySelector("#panel-ops .rows").focus()`)
	active := func(want string) {
		t.Helper()
		row := eval[string](p, `document.getElementById(document.querySelector("#panel-ops .rows").getAttribute("aria-activedescendant")).innerText`)
		if !strings.HasPrefix(row, want+"\n") {
			t.Errorf("the active row is %q, want %s", row, want)
		}
		if got := eval[string](p, `leadline.model.id(leadline.timeline.selected)`); got != want {
			t.Errorf("%s is selected, want %s", got, want)
		}
		if got := eval[int](p, `document.querySelectorAll("[role=row]").length`); got > 120 {
			t.Errorf("%d rows are in the document", got)
		}
		if !eval[bool](p, inView("leadline.timeline.selected")) {
			t.Errorf("%s is not in view", want)
		}
	}
	p.keys(kb.ArrowDown)
	active("0")
	p.keys(kb.ArrowDown + kb.ArrowDown + kb.ArrowUp)
	active("1")
	p.keys(kb.End)
	active("2999")
	p.keys(kb.Home)
	active("0")
	want(p, `document.querySelector("#panel-ops .rows").getAttribute("aria-rowcount")`, "3001")
	p.keys(kb.PageDown)
	want(p, `leadline.timeline.selected > 5`, true)
	p.keys("2")
	p.run(`document.querySelector("#panel-order .rows").focus()`)
	p.keys(kb.End)
	want(p, `leadline.timeline.selected === leadline.model.order[2999]`, true)
}

// TestAccessible: what is used has a role and a name.
func TestAccessible(t *testing.T) {
	p := open(t, violation(t), deep(t))
	for _, where := range []string{"", "#0"} {
		p.run(fmt.Sprintf("location.hash = %q", where))
		if where != "" {
			p.wait(`leadline.ready === 0`)
		}
		tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			t.Fatal(err)
		}
		roles := map[string]int{}
		for _, node := range tree.Nodes {
			if node.Ignored || node.Role == nil {
				continue
			}
			role := strings.Trim(string(node.Role.Value), `"`)
			roles[role]++
			switch role {
			case "button", "searchbox", "combobox", "application", "tab", "grid", "columnheader", "checkbox", "dialog", "toolbar", "tablist":
				if node.Name == nil || strings.Trim(string(node.Name.Value), `" `) == "" {
					t.Errorf("a %s has no name", role)
				}
			}
		}
		expected := []string{"main", "grid", "row", "columnheader", "searchbox", "combobox", "status"}
		if where != "" {
			expected = []string{"main", "application", "tab", "tablist", "tabpanel", "toolbar", "searchbox", "combobox", "status", "button"}
		}
		for _, role := range expected {
			if roles[role] == 0 {
				t.Errorf("%q has no %s: %v", where, role, roles)
			}
		}
	}
}

func TestTheme(t *testing.T) {
	p := open(t, deep(t))
	scheme := func(value string) {
		t.Helper()
		_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	const light, dark = "rgb(255, 255, 255)", "rgb(20, 23, 28)"
	check := func(colour string) {
		t.Helper()
		p.wait(fmt.Sprintf(`getComputedStyle(document.body).backgroundColor === %q`, colour))
		want(p, `leadline.timeline.colours.bg`, colour)
		want(p, `(() => { const from = leadline.timeline.canvas, g = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
			g.drawImage(from, 3 - from.width, 3 - from.height);
			return "rgb(" + [...g.getImageData(0, 0, 1, 1).data].slice(0, 3).join(", ") + ")" })()`, colour)
	}
	scheme("light")
	check(light)
	scheme("dark")
	check(dark)
	p.click("theme") // light
	check(light)
	p.keys("t") // dark
	scheme("light")
	check(dark)
	p.keys("t") // as the system says
	check(light)
}

// TestContrast: texts have at least 4.5:1 in both themes, and signs 3:1 (WCAG 2.2).
func TestContrast(t *testing.T) {
	p := open(t, violation(t))
	for _, theme := range []string{"light", "dark"} {
		p.run(fmt.Sprintf("setTheme(%q)", theme))
		c := eval[map[string]string](p, `leadline.timeline.colours`)
		for _, pair := range []string{"text bg 4.5", "text panel 4.5", "text stripe 4.5", "muted bg 4.5", "muted panel 4.5", "accent bg 4.5", "bad bg 4.5", "bad panel 4.5",
			"core bg 4.5", "core panel 4.5", "late bg 4.5", "late panel 4.5", "match bg 4.5", "text bad-fill 4.5", "white bad-solid 4.5",
			"text bar0 4.5", "text bar1 4.5", "text bar2 4.5", "text bar3 4.5", "text bar4 4.5", "text bar5 4.5",
			"edge0 bg 3", "edge1 bg 3", "edge2 bg 3", "edge3 bg 3", "edge4 bg 3", "edge5 bg 3", "accent bar0 3", "accent bar5 3"} {
			var a, b string
			var least float64
			if _, err := fmt.Sscan(pair, &a, &b, &least); err != nil {
				t.Fatal(err)
			}
			c["white"] = "rgb(255, 255, 255)"
			if got := contrast(t, c[a], c[b]); got < least {
				t.Errorf("%s: %s on %s has %.2f:1", theme, a, b, got)
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	luminance := func(colour string) float64 {
		var rgb [3]float64
		if _, err := fmt.Sscanf(colour, "rgb(%f, %f, %f)", &rgb[0], &rgb[1], &rgb[2]); err != nil {
			t.Fatalf("%q: %v", colour, err)
		}
		for k, v := range rgb {
			if v /= 255; v <= 0.04045 {
				rgb[k] = v / 12.92
			} else {
				rgb[k] = math.Pow((v+0.055)/1.055, 2.4)
			}
		}
		return 0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2]
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
