package codec

import (
	"fmt"
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// A memberPath is a member of a field, or of such a member, that expressions name. Some
// record must have it, unless none has the object, or the expression has the path before ??
// or ?. or compares it with nil.
type memberPath struct {
	field   string
	members []string
	part    string // the first part whose expression names it
	hasRoot bool   // some record has the object
	seen    bool
}

// pathOf returns the path that a node is, of a field or of a let.
func pathOf(node ast.Node) (p memberPath, ok bool) {
	for {
		switch n := node.(type) {
		case *ast.ChainNode:
			node = n.Node
		case *ast.IdentifierNode:
			p.field, _ = plainName(n.Value)
			slices.Reverse(p.members)
			return p, n.Value != "$env"
		case *ast.MemberNode:
			if name, isField := envMember(n); isField {
				p.field, _ = plainName(name)
				slices.Reverse(p.members)
				return p, true
			}
			property, isText := n.Property.(*ast.StringNode)
			if !isText {
				return p, false
			}
			p.members = append(p.members, property.Value)
			node = n.Node
		default:
			return p, false
		}
	}
}

// text is how an expression names the path.
func (p *memberPath) text() string {
	text := fieldText(p.field)
	for _, name := range p.members {
		text += memberText(name)
	}
	return text
}

// memberText returns how an expression names a member of an object.
func memberText(name string) string {
	if isPlainName(name) {
		return "." + name
	}
	return fmt.Sprintf("[%q]", name)
}

// note notes whether the record has the path.
func (p *memberPath) note(values map[string]any) {
	v, ok := values[p.field]
	if !ok {
		v = values[exactName(p.field)]
	}
	for i, name := range p.members {
		object, ok := v.(map[string]any)
		if !ok {
			return
		}
		p.hasRoot = p.hasRoot || i == len(p.members)-1
		if v, ok = object[name]; !ok {
			return
		}
	}
	p.seen = true
}

// A pathCollector finds the paths that an expression names.
type pathCollector struct {
	declared declarations
	paths    map[string]memberPath
	optional map[string]bool // those that may be nil in all records
}

func (c *pathCollector) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.MemberNode:
		if p, ok := pathOf(n); ok && len(p.members) > 0 && !c.declared[p.field] {
			c.paths[p.text()] = p
		}
		if n.Optional {
			c.mayLack(n.Node)
		}
	case *ast.BinaryNode:
		_, leftNil := n.Left.(*ast.NilNode)
		_, rightNil := n.Right.(*ast.NilNode)
		switch {
		case n.Operator == "??", (n.Operator == "==" || n.Operator == "!=") && rightNil:
			c.mayLack(n.Left)
		case (n.Operator == "==" || n.Operator == "!=") && leftNil:
			c.mayLack(n.Right)
		}
	}
}

// mayLack notes that a path may be nil, and so the objects on the way.
func (c *pathCollector) mayLack(node ast.Node) {
	for p, ok := pathOf(node); ok && len(p.members) > 0; p.members = p.members[:len(p.members)-1] {
		c.optional[p.text()] = true
	}
}

// notePaths adds the paths that an expression needs to those of the mapping.
func (m *mapping) notePaths(part string, root ast.Node) {
	declared := declarations{}
	ast.Walk(&root, declared)
	c := pathCollector{declared, map[string]memberPath{}, map[string]bool{}}
	ast.Walk(&root, &c)
	for _, text := range slices.Sorted(maps.Keys(c.paths)) {
		known := slices.ContainsFunc(m.paths, func(p memberPath) bool { return p.text() == text })
		if p := c.paths[text]; !known && !c.optional[text] {
			p.part = part
			m.paths = append(m.paths, p)
		}
	}
}
