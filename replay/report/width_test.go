package report

import (
	"strings"
	"testing"

	"github.com/leadline/leadline/replay"
)

// TestColumns: the columns of a timeline and of a witness begin at the same place in each line,
// also below names of full width.
func TestColumns(t *testing.T) {
	h, s := read(t, "queue", `A 0 enqueue("队列")`, "线程 1 size()", "0 = -", "1 = 1", "Ｂ́ 2 size()", "2 = 1")
	v := &replay.Verdict{Finding: replay.Found(replay.SearchEngine, []int32{0, 1, 2})}
	same(t, text(t, func(b *strings.Builder) error { return Timeline(b, h, v, Options{}) }), `
      process  id
   #1 A         0  |o------|                   enqueue("队列")
   #2 线程      1      |o------|               size(): 1
   #3 Ｂ́        2                  |o--|       size(): 1
 o where it takes effect, in the order of #
`)
	same(t, text(t, func(b *strings.Builder) error { return Witness(b, h, s, v, Options{}) }), `
                         (initially)      []
    #1  0  process A     enqueue("队列")  ["队列"]
    #2  1  process 线程  size(): 1        ["队列"]
    #3  2  process Ｂ́    size(): 1        ["队列"]
`)
}

// TestCut: texts are cut and broken at columns, and never within a character.
func TestCut(t *testing.T) {
	const wide = "一二三四五六七八九十" // 20 columns
	for width := 5; width < 25; width++ {
		if got := elide(wide, width); columns(got) > width || columns(got) < min(20, width-2) {
			t.Errorf("%d: %q has %d columns", width, got, columns(got))
		}
		for _, line := range wrap(wide+" a "+wide, width) {
			if columns(line) > max(width, 8) {
				t.Errorf("%d: the line %q has %d columns", width, line, columns(line))
			}
		}
	}
	if got := strings.Join(wrap(wide+" a "+wide, 8), ""); strings.ReplaceAll(got, " a", "") != wide+wide {
		t.Errorf("%q was wrapped to %q", wide, got)
	}
}
