package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// An edit replaces text[at:end]. Where several edits are at one place, the order
// is that of class, then that of seq.
type edit struct {
	at, end int
	text    string
	class   int
	seq     int
}

const (
	closing = iota // ends an expression: inner ones come first
	opening        // begins an expression: outer ones come first
	cutting        // replaces what is there
)

// edits are the edits of one file.
type edits struct {
	file *token.File
	text []byte
	list []edit
}

func (e *edits) offset(p token.Pos) int { return e.file.Offset(p) }

// source returns the text of a node as it is in the file.
func (e *edits) source(n ast.Node) string {
	return string(e.text[e.offset(n.Pos()):e.offset(n.End())])
}

func (e *edits) add(from, to token.Pos, text string, class int) {
	e.list = append(e.list, edit{e.offset(from), e.offset(to), text, class, len(e.list)})
}

// open inserts text in front of an expression. It is called before the edits in
// the expression, and closed after them.
func (e *edits) open(p token.Pos, text string)   { e.add(p, p, text, opening) }
func (e *edits) closed(p token.Pos, text string) { e.add(p, p, text, closing) }

// cut replaces what is between two places. Newlines stay, after the new text, so
// that all lines keep their numbers.
func (e *edits) cut(from, to token.Pos, text string) {
	if from == to {
		e.open(from, text)
		return
	}
	lines := bytes.Count(e.text[e.offset(from):e.offset(to)], []byte("\n"))
	e.add(from, to, text+strings.Repeat("\n", lines), cutting)
}

// dropCuts forgets the cuts in a part that is about to be cut as a whole.
func (e *edits) dropCuts(from, to token.Pos) {
	e.list = slices.DeleteFunc(e.list, func(d edit) bool {
		return d.class == cutting && e.offset(from) <= d.at && d.end <= e.offset(to)
	})
}

// render applies the edits of a part of the file.
func (e *edits) render(from, to int) ([]byte, error) {
	var list []edit
	for _, d := range e.list {
		// What ends here ends what comes before.
		if from <= d.at && d.end <= to && !(d.at == from && from > 0 && d.class == closing) {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b edit) int {
		for _, order := range [][2]int{{a.at, b.at}, {a.class, b.class}, {a.seq, b.seq}} {
			if order[0] != order[1] {
				return order[0] - order[1]
			}
		}
		return 0
	})
	var out []byte
	at := from
	for _, d := range list {
		if d.at < at {
			return nil, fmt.Errorf("%s:%d: this statement cannot be rewritten", e.file.Name(), e.file.Line(e.file.Pos(d.at)))
		}
		out = append(append(out, e.text[at:d.at]...), d.text...)
		at = d.end
	}
	return append(out, e.text[at:to]...), nil
}

// oneLine returns Go tokens without comments and newlines.
func oneLine(text []byte) string {
	if !bytes.ContainsAny(text, "\n\r") && !bytes.Contains(text, []byte("/*")) && !bytes.Contains(text, []byte("//")) {
		return string(text)
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	var out []string
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			// The scanner ends the last line with a semicolon.
			if n := len(out); n > 0 && out[n-1] == ";" {
				out = out[:n-1]
			}
			return strings.Join(out, " ")
		case tok == token.SEMICOLON:
			lit = ";"
		case tok == token.STRING && strings.Contains(lit, "\n"):
			if value, err := strconv.Unquote(lit); err == nil {
				lit = strconv.Quote(value)
			}
		case lit == "":
			lit = tok.String()
		}
		out = append(out, lit)
	}
}
