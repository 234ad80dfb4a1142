package stress

import (
	"fmt"
	"strconv"
	"strings"
)

// String writes a program as Violat does, with the initial and the final part
// in square brackets and the order of sequences, which are numbered from 0:
//
//	[ put(0,1) ] { get(0); get(1) } || { clear() } || { size() } order 0<2, 1<2 [ size() ]
//
// Parse reads it again.
func (p *Program) String() string {
	dst := make([]byte, 0, 128)
	if len(p.Initial) > 0 {
		dst = append(appendPart(dst, "[ ", p.Initial, " ]"), ' ')
	}
	for i, s := range p.Sequences {
		if i > 0 {
			dst = append(dst, " || "...)
		}
		dst = appendPart(dst, "{ ", s, " }")
	}
	for i, o := range p.Order {
		if i == 0 {
			dst = append(dst, " order "...)
		} else {
			dst = append(dst, ", "...)
		}
		dst = strconv.AppendInt(dst, int64(o[0]), 10)
		dst = append(dst, '<')
		dst = strconv.AppendInt(dst, int64(o[1]), 10)
	}
	if len(p.Final) > 0 {
		dst = appendPart(append(dst, ' '), "[ ", p.Final, " ]")
	}
	return string(dst)
}

func appendPart(dst []byte, open string, part []Invocation, end string) []byte {
	dst = append(dst, open...)
	for i, inv := range part {
		if i > 0 {
			dst = append(dst, "; "...)
		}
		dst = inv.appendText(dst)
	}
	return append(dst, end...)
}

// String writes an invocation: put(0,1), addAll([0,1]), putAll({0=1}).
func (inv Invocation) String() string { return string(inv.appendText(nil)) }

func (inv Invocation) appendText(dst []byte) []byte {
	dst = append(append(dst, inv.Method.Name...), '(')
	for i, a := range inv.Args {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendArgument(dst, a)
	}
	return append(dst, ')')
}

func methodNames(c *Class) string {
	var names []string
	for _, m := range c.Methods {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

// arity says what a method takes: put takes 2 arguments (int, int).
func arity(m *Method) string {
	var params []string
	for _, p := range m.Params {
		params = append(params, p.String())
	}
	switch len(params) {
	case 0:
		return m.Name + " takes no arguments"
	case 1:
		return fmt.Sprintf("%s takes 1 argument (%s)", m.Name, params[0])
	}
	return fmt.Sprintf("%s takes %d arguments (%s)", m.Name, len(params), strings.Join(params, ", "))
}
