package tables

import (
	"fmt"
	"math"
	"strings"
)

// Picture draws Figure 4 as SVG. For each d it shows the percentage of
// linearizable histories that families of depth d prove to be linearizable, over all
// classes, next to the paper's if paper is set. Below, each class has a panel with a
// line. All y axes are the same and begin where the data do. The SVG has no external
// references and no colours.
func (c *Collection) Picture(paper bool) string {
	all, classes := c.total(), c.sorted()
	p := picture{paper: paper && c.hasPaperClass(), depths: c.maxDepth()}
	p.chooseAxis(append(classes, all))
	p.open(len(classes))
	p.axes(chart)
	for d := 1; d <= p.depths; d++ {
		p.bars(all, d)
	}
	if p.paper {
		p.legend()
	}
	for i, k := range classes {
		p.panel(k, i)
	}
	p.b.WriteString("</svg>\n")
	return p.b.String()
}

// A frame is the area of a diagram, without its labels.
type frame struct {
	x, y, width, height float64
	head                float64 // room above 100 percent
	title               string
	font                float64
}

func (f frame) bottom() float64 { return f.y + f.height }

func (f frame) middle() float64 { return f.x + f.width/2 }

// Sizes in pixels. The bars of all classes are at the top, the panels of single
// classes below, in rows.
const (
	pictureWidth = 1000
	panels       = 5 // in a row
	panelsTop    = 440
	panelWidth   = pictureWidth / panels
	panelHeight  = 170
	// numberWidth is the width of the number above a bar.
	numberWidth = 32
)

const ownFill, paperFill = "#666", "url(#hatch)"

var chart = frame{70, 46, 900, 296, 22, "Linearizable histories with a witness in a family of depth d, all classes", 12}

// A picture is a drawing in progress.
type picture struct {
	b      strings.Builder
	paper  bool
	depths int
	// low is the percentage at which the y axes begin; step is between two of
	// their numbers.
	low, step float64
}

func (p *picture) printf(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

// text writes a string with its middle, start or end at x.
func (p *picture) text(x, y float64, anchor string, font float64, s string) {
	p.printf(`<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%g">%s</text>`, x, y, anchor, font, escapeHTML(s))
}

// chooseAxis makes the y axes begin at the largest round number that is below
// all percentages.
func (p *picture) chooseAxis(classes []*class) {
	least := 100.0
	for _, k := range classes {
		if k.linearizable() > 0 {
			least = min(least, share(k.shown(1), k.linearizable()))
		}
	}
	if p.paper {
		least = min(least, share(paperShown[0], paperLinearizable))
	}
	switch {
	case least >= 80:
		p.step = 5
	case least >= 40:
		p.step = 10
	default:
		p.step = 20
	}
	p.low = min(90, p.step*math.Floor(least/p.step))
}

func (p *picture) open(classes int) {
	height := panelsTop + (classes+panels-1)/panels*panelHeight
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif">`, pictureWidth, height)
	p.printf(`<title>Linearizable histories shown to be by strong d-hitting families</title>`)
	p.printf(`<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
		`<rect width="5" height="5" fill="white"/><line x1="0" y1="0" x2="0" y2="5" stroke="black" stroke-width="1.6"/></pattern></defs>`)
	p.printf(`<rect width="%d" height="%d" fill="white"/>`, pictureWidth, height)
}

// y returns the position of a percentage in a frame.
func (p *picture) y(f frame, percent float64) float64 {
	return f.bottom() - (percent-p.low)/(100-p.low)*(f.height-f.head)
}

// x returns the position of a depth in a frame.
func (p *picture) x(f frame, d int) float64 {
	return f.x + (float64(d)-0.5)*f.width/float64(p.depths)
}

// axes draws a frame, its title, the numbers of both axes and their titles.
func (p *picture) axes(f frame) {
	p.text(f.middle(), f.y-f.font, "middle", f.font+1, f.title)
	for percent := p.low; percent <= 100; percent += p.step {
		y := p.y(f, percent)
		p.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ccc"/>`, f.x, y, f.x+f.width, y)
		p.text(f.x-5, y+f.font/3, "end", f.font, fmt.Sprintf("%g", percent))
	}
	every := max(1, int(math.Ceil(float64(p.depths)*2*f.font/f.width)))
	for d := 1; d <= p.depths; d += every {
		p.text(p.x(f, d), f.bottom()+1.3*f.font, "middle", f.font, fmt.Sprint(d))
	}
	p.text(f.middle(), f.bottom()+2.7*f.font, "middle", f.font, "d")
	p.printf(`<text transform="translate(%.1f %.1f) rotate(-90)" text-anchor="middle" font-size="%g">percent</text>`,
		f.x-2.9*f.font, f.y+f.height/2, f.font)
	p.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="none" stroke="black"/>`, f.x, f.y, f.width, f.height)
}

// bars draws the bars of a depth above its number: one, or two with the paper's.
func (p *picture) bars(all *class, d int) {
	type one struct {
		part, whole int
		fill        string
	}
	values := []one{{all.shown(d), all.linearizable(), ownFill}}
	if p.paper && d <= len(paperShown) {
		values = append(values, one{paperShown[d-1], paperLinearizable, paperFill})
	}
	group := chart.width / float64(p.depths)
	width := min(40, 0.4*group)
	room := width
	if len(values) == 1 {
		room = group
	}
	x := p.x(chart, d) - width*float64(len(values))/2
	for _, v := range values {
		if v.whole > 0 {
			y := p.y(chart, share(v.part, v.whole))
			p.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" stroke="black"/>`, x, y, width, chart.bottom()-y, v.fill)
			if room >= numberWidth {
				p.printf(`<text x="%.1f" y="%.1f" text-anchor="middle" font-size="11" stroke="white" stroke-width="3" paint-order="stroke">%s</text>`,
					x+width/2, y-4, text(percent(v.part, v.whole)))
			}
		}
		x += width
	}
}

func (p *picture) legend() {
	x, y := chart.x, chart.bottom()+46
	paper := "paper"
	if p.depths > len(paperShown) {
		paper += fmt.Sprintf(" (no number for d > %d)", len(paperShown))
	}
	for _, entry := range [][2]string{{ownFill, "leadline"}, {paperFill, paper}} {
		p.printf(`<rect x="%.1f" y="%.1f" width="14" height="10" fill="%s" stroke="black"/>`, x, y, entry[0])
		p.text(x+20, y+9, "start", chart.font, entry[1])
		x += 100
	}
}

// panel draws the line of a class.
func (p *picture) panel(k *class, i int) {
	f := frame{float64(i%panels*panelWidth) + 44, float64(panelsTop + i/panels*panelHeight + 26), panelWidth - 56, panelHeight - 72, 6, k.name, 10}
	p.axes(f)
	if k.linearizable() == 0 {
		p.text(f.middle(), f.y+f.height/2, "middle", f.font, "none linearizable")
		return
	}
	var points []string
	for d := 1; d <= p.depths; d++ {
		x, y := p.x(f, d), p.y(f, share(k.shown(d), k.linearizable()))
		points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
		p.printf(`<circle cx="%.1f" cy="%.1f" r="2.2"/>`, x, y)
	}
	p.printf(`<polyline points="%s" fill="none" stroke="black"/>`, strings.Join(points, " "))
}
