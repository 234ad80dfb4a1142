package tables

import (
	"fmt"
	"strings"
)

// Picture draws Figure 4 as SVG. For each d it shows the percentage of
// linearizable histories that families of depth d show to be, over all classes,
// next to the paper's if paper is set. It also draws a line per class. The SVG
// has no external references and no colours.
func (c *Collection) Picture(paper bool) string {
	p := picture{paper: paper && c.hasPaperClass()}
	p.open()
	p.axes()
	all := c.total()
	for d := 1; d <= DefaultMaxDepth; d++ {
		p.bars(d, share(all.shown(d), all.linearizable()))
	}
	p.legend()
	p.classes(c.sorted())
	p.b.WriteString("</svg>\n")
	return p.b.String()
}

// Sizes in pixels. The chart of all classes is on the left, a small chart of
// each is on the right.
const (
	chartLeft, chartTop     = 50, 40
	chartWidth, chartHeight = 520, 300
	group                   = chartWidth / DefaultMaxDepth
	bar                     = 28
	smallLeft               = 620
	smallWidth, smallHeight = 150, 44
	smallStep               = 66
)

type picture struct {
	b     strings.Builder
	paper bool
}

func (p *picture) printf(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *picture) open() {
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="420" viewBox="0 0 1000 420" font-family="sans-serif" font-size="11">`)
	p.printf(`<title>Linearizable histories shown to be by strong d-hitting families</title>`)
	p.printf(`<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
		`<rect width="5" height="5" fill="white"/><line x1="0" y1="0" x2="0" y2="5" stroke="black" stroke-width="1.6"/></pattern></defs>`)
	p.printf(`<rect width="1000" height="420" fill="white"/>`)
	p.printf(`<text x="%d" y="20" font-size="13">Linearizable histories with a witness in a family of depth d, in percent</text>`, chartLeft)
}

// height is the height of a percentage in the drawing.
func height(percent float64, full int) float64 { return percent / 100 * float64(full) }

func (p *picture) axes() {
	for tick := 0; tick <= 100; tick += 20 {
		y := chartTop + chartHeight - int(height(float64(tick), chartHeight))
		p.printf(`<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#bbb"/><text x="%d" y="%d" text-anchor="end">%d</text>`,
			chartLeft, y, chartLeft+chartWidth, y, chartLeft-6, y+4, tick)
	}
}

func (p *picture) bars(d int, percent float64) {
	x := chartLeft + (d-1)*group + group/2 - bar
	bottom := float64(chartTop + chartHeight)
	p.printf(`<text x="%d" y="%d" text-anchor="middle">d = %d</text>`, x+bar, chartTop+chartHeight+16, d)
	one := func(x int, percent float64, fill string) {
		h := height(percent, chartHeight)
		p.printf(`<rect x="%d" y="%.1f" width="%d" height="%.1f" fill="%s" stroke="black"/>`, x, bottom-h, bar, h, fill)
		p.printf(`<text x="%d" y="%.1f" text-anchor="middle" font-size="9">%.1f</text>`, x+bar/2, bottom-h-4, percent)
	}
	one(x, percent, "#444")
	if p.paper && d <= len(paperShown) {
		one(x+bar, share(paperShown[d-1], paperLinearizable), "url(#hatch)")
	}
}

func (p *picture) legend() {
	y := chartTop + chartHeight + 36
	p.printf(`<rect x="%d" y="%d" width="14" height="10" fill="#444" stroke="black"/><text x="%d" y="%d">leadline</text>`, chartLeft, y, chartLeft+20, y+9)
	if p.paper {
		p.printf(`<rect x="%d" y="%d" width="14" height="10" fill="url(#hatch)" stroke="black"/><text x="%d" y="%d">paper (no number for d = 7)</text>`,
			chartLeft+90, y, chartLeft+110, y+9)
	}
}

// classes draws small charts of the first ten classes, in two columns.
func (p *picture) classes(all []*class) {
	for i, k := range all {
		if i == 10 {
			p.printf(`<text x="%d" y="%d">and %d more classes</text>`, smallLeft, chartTop+5*smallStep+8, len(all)-i)
			return
		}
		x, y := smallLeft+i%2*(smallWidth+35), chartTop+i/2*smallStep
		p.printf(`<text x="%d" y="%d" font-size="10">%s</text>`, x, y-3, escapeHTML(k.name))
		p.printf(`<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#bbb"/>`, x, y, smallWidth, smallHeight)
		var points []string
		for d := 1; d <= DefaultMaxDepth; d++ {
			px := float64(x) + (float64(d)-0.5)*smallWidth/DefaultMaxDepth
			py := float64(y+smallHeight) - height(share(k.shown(d), k.linearizable()), smallHeight)
			points = append(points, fmt.Sprintf("%.1f,%.1f", px, py))
			p.printf(`<circle cx="%.1f" cy="%.1f" r="2"/>`, px, py)
		}
		p.printf(`<polyline points="%s" fill="none" stroke="black"/>`, strings.Join(points, " "))
	}
}
