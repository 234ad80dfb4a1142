package tables

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/leadline/leadline/replay"
)

// A shape is a text or a rectangle of a picture.
type shape struct {
	text                string
	fill                string
	x, y, width, height float64
}

func shapes(t *testing.T, svg string) (texts, rects []shape) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return texts, rects
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local != "text" && e.Name.Local != "rect" {
				break
			}
			var s shape
			numbers := map[string]*float64{"x": &s.x, "y": &s.y, "width": &s.width, "height": &s.height}
			for _, a := range e.Attr {
				if to := numbers[a.Name.Local]; to != nil {
					if *to, err = strconv.ParseFloat(a.Value, 64); err != nil {
						t.Fatal(err)
					}
				}
				if a.Name.Local == "fill" {
					s.fill = a.Value
				}
			}
			if e.Name.Local == "rect" {
				rects = append(rects, s)
			} else {
				texts = append(texts, s)
			}
		case xml.CharData:
			if n := len(texts); n > 0 && strings.TrimSpace(string(e)) != "" {
				texts[n-1].text = string(e)
			}
		}
	}
}

// queues has 100 linearizable histories, of which so many have depth 1, and the
// others depth 8.
func queues(shallow, classes int) *Collection {
	c := &Collection{}
	for k := range classes {
		name := "LinkedBlockingQueue"
		if k > 0 {
			name = fmt.Sprintf("class %d", k)
		}
		for i := range 100 {
			m := Measurement{Class: name, Ops: 9, C: 2, CP: 1, Answer: replay.Linearizable, Depth: 8}
			if i < shallow {
				m.Depth = 1
			}
			c.Add(m)
		}
	}
	return c
}

// TestPictureAxes: all diagrams have the same numbers and titles on their axes,
// and the y axis begins at a round number below the data.
func TestPictureAxes(t *testing.T) {
	for _, test := range []struct {
		shallow int
		want    string
	}{{61, "60 70 80 90 100"}, {40, "40 50 60 70 80 90 100"}, {39, "20 40 60 80 100"}, {0, "0 20 40 60 80 100"}, {80, "70 80 90 100"}} {
		const classes = 7
		texts, _ := shapes(t, queues(test.shallow, classes).Picture(true))
		count := map[string]int{}
		for _, s := range texts {
			count[s.text]++
		}
		for _, want := range strings.Fields(test.want + " 1 2 3 4 5 6 7 d percent") {
			if count[want] != classes+1 {
				t.Errorf("%d percent: %q occurs %d times, want %d", test.shallow, want, count[want], classes+1)
			}
		}
		if first := strings.Fields(test.want)[0]; first != "0" {
			below, _ := strconv.Atoi(first)
			if n := count[strconv.Itoa(below-10)] + count[strconv.Itoa(below-20)]; n > 0 {
				t.Errorf("%d percent: the y axis begins below %s", test.shallow, first)
			}
		}
	}
	if texts, _ := shapes(t, queues(92, 1).Picture(false)); texts[1].text != "90" {
		t.Errorf("without the paper's numbers, the y axis begins at %s, want 90", texts[1].text)
	}
}

// TestPictureBars: bars are above their numbers, as high as they say, and titles
// are above their frames.
func TestPictureBars(t *testing.T) {
	for _, paper := range []bool{true, false} {
		c := queues(61, 12)
		texts, rects := shapes(t, c.Picture(paper))
		at := map[string]shape{} // the first, which belongs to the chart
		for _, s := range texts {
			if _, ok := at[s.text]; !ok {
				at[s.text] = s
			}
		}
		var bars, frames []shape
		for _, r := range rects {
			switch {
			case r.fill == "none":
				frames = append(frames, r)
			case r.width > 14 && (r.fill == ownFill || r.fill == paperFill):
				bars = append(bars, r)
			}
		}
		next := 0
		for d := 1; d <= 7; d++ {
			group := bars[next : next+1]
			if paper && d <= len(paperShown) {
				group = bars[next : next+2]
			}
			next += len(group)
			last := group[len(group)-1]
			if middle, want := (group[0].x+last.x+last.width)/2, at[strconv.Itoa(d)].x; middle-want > 0.2 || want-middle > 0.2 {
				t.Errorf("paper %v: the bars of d = %d are above %.1f, their number is at %.1f", paper, d, middle, want)
			}
		}
		if next != len(bars) {
			t.Errorf("paper %v: %d bars, want %d", paper, len(bars), next)
		}
		for i, tick := range []string{"60", "70"} {
			low, high := at[tick].y, at["100"].y
			want := []float64{1.0 / 40, -9.0 / 30}[i] // 61 percent above the tick
			if got := (low - 4 - bars[0].y) / (low - high); got-want > 0.02 || want-got > 0.02 {
				t.Errorf("paper %v: the bar of 61.0 ends %.3f of the way from %s to 100, want %.3f", paper, got, tick, want)
			}
		}
		if len(frames) != 13 {
			t.Fatalf("paper %v: %d frames, want 13", paper, len(frames))
		}
		for i, k := range c.sorted() {
			f, title := frames[i+1], at[k.name]
			if title.y > f.y-5 || title.y < f.y-20 || title.x != f.x+f.width/2 {
				t.Errorf("the title of %s is at %.1f,%.1f, its frame at %.1f,%.1f", k.name, title.x, title.y, f.x, f.y)
			}
			for _, other := range frames {
				if title.y > other.y && title.y-10 < other.y+other.height && title.x > other.x && title.x < other.x+other.width {
					t.Errorf("the title of %s is in a frame", k.name)
				}
			}
		}
	}
}
