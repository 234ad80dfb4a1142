package records

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/expr-lang/expr/ast"
)

// A recordField is a member of records, or a column, that expressions name.
type recordField struct {
	name string
	// plain and exact are set if the value is used outside of ns, and inside. Inside, a
	// number with a fraction is a decimal.
	plain, exact           bool
	plainKey, exactKey     string // of the two values in an environment
	plainValue, exactValue any
	record                 int // the number of the one that the values are of
}

// A decimal is a number with a fraction or an exponent, as it is written.
type decimal string

// No identifier of an expression, and so no function or variable, begins with one of these.
const (
	plainPrefix = "field "
	exactPrefix = "exact "
)

func newRecordField(name string) *recordField {
	return &recordField{name: name, plainKey: plainPrefix + name, exactKey: exactPrefix + name}
}

// fieldOf returns the name of the field whose plain or exact value has the key.
func fieldOf(key string) (name string, exact, ok bool) {
	if name, ok = strings.CutPrefix(key, exactPrefix); ok {
		return name, true, true
	}
	name, ok = strings.CutPrefix(key, plainPrefix)
	return name, false, ok
}

// fieldKeys replaces the names of fields by their keys. Functions and the variables that
// let declares keep their names, so that a field may be called like one of them.
type fieldKeys struct{}

func (fieldKeys) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value != "$env" && n.Value != "$line" && n.Value != "$text" {
			n.Value = plainPrefix + n.Value
		}
	case *ast.CallNode: // whose function has been visited already
		restoreName{}.Visit(&n.Callee)
	case *ast.VariableDeclaratorNode: // and so have the uses of the variable
		ast.Walk(&n.Expr, restoreName{n.Name})
	}
}

// restoreName gives back the name, or any name, that fieldKeys has replaced.
type restoreName struct{ name string }

func (r restoreName) Visit(node *ast.Node) {
	if n, ok := (*node).(*ast.IdentifierNode); ok {
		if name, isKey := strings.CutPrefix(n.Value, plainPrefix); isKey && (r.name == "" || r.name == name) {
			n.Value = name
		}
	}
}

// fieldMembers replaces $env["NAME"] by the key of the field, and the keys in the first
// argument of ns by those of exact values.
type fieldMembers struct{ others int } // other uses of $env

func (m *fieldMembers) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value == "$env" {
			m.others++
		}
	case *ast.MemberNode:
		env, _ := n.Node.(*ast.IdentifierNode)
		name, isText := n.Property.(*ast.StringNode)
		if env != nil && env.Value == "$env" && isText {
			m.others--
			ast.Patch(node, &ast.IdentifierNode{Value: plainPrefix + name.Value})
		}
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok && callee.Value == "ns" && len(n.Arguments) > 0 {
			ast.Walk(&n.Arguments[0], exactValues{})
		}
	}
}

// exactValues makes fields, and what fromJSON returns, exact.
type exactValues struct{}

func (exactValues) Visit(node *ast.Node) {
	if n, ok := (*node).(*ast.IdentifierNode); ok {
		if name, isPlain := strings.CutPrefix(n.Value, plainPrefix); isPlain {
			n.Value = exactPrefix + name
		} else if n.Value == "fromJSON" {
			n.Value = exactFromJSON
		}
	}
}

// A fieldPath is a field, or a member of one, that expressions name. Some record must have
// it, unless none has the object that it is a member of, or the expression has it before ??
// or ?. or compares it with nil.
type fieldPath struct {
	field    string
	members  []string
	part     string // the first part whose expression names it
	hasRoot  bool   // some record has the object
	seen     bool
	siblings []string // names of the members of that object, in the first record
}

// pathOf returns the path that a node begins with, and whether that is all of the node.
func pathOf(node ast.Node) (p fieldPath, isAll bool) {
	isAll = true
	for {
		switch n := node.(type) {
		case *ast.ChainNode:
			node = n.Node
		case *ast.MemberNode:
			if property, ok := n.Property.(*ast.StringNode); ok {
				p.members = append(p.members, property.Value)
			} else {
				p.members, isAll = nil, false
			}
			node = n.Node
		case *ast.IdentifierNode:
			name, _, ok := fieldOf(n.Value)
			p.field = name
			slices.Reverse(p.members)
			return p, ok && isAll
		default:
			return p, false
		}
	}
}

// text is how an expression names the path.
func (p *fieldPath) text() string {
	text := fieldText(p.field)
	for _, name := range p.members {
		text += memberText(name)
	}
	return text
}

// fieldText returns how an expression names a field.
func fieldText(name string) string {
	if isPlainName(name) {
		return name
	}
	return fmt.Sprintf("$env[%q]", name)
}

// memberText returns how an expression names a member of an object.
func memberText(name string) string {
	if isPlainName(name) {
		return "." + name
	}
	return fmt.Sprintf("[%q]", name)
}

// note notes whether the record has the path.
func (p *fieldPath) note(e *environment) {
	f := e.fields[p.field]
	if !e.has(f) {
		p.hasRoot = p.hasRoot || len(p.members) == 0
		return
	}
	v := e.value(f, !f.plain)
	for i, name := range p.members {
		object, ok := v.(map[string]any)
		if !ok {
			return
		}
		p.hasRoot = p.hasRoot || i == len(p.members)-1
		if v, ok = object[name]; !ok {
			if p.siblings == nil && i == len(p.members)-1 {
				p.siblings = slices.Sorted(maps.Keys(object))
			}
			return
		}
	}
	p.seen = true
}

// fieldUses collects the keys and the paths that an expression names.
type fieldUses struct {
	keys     []string
	paths    map[string]fieldPath
	optional map[string]bool // paths that may be nil in all records
}

func (u *fieldUses) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if _, _, ok := fieldOf(n.Value); ok {
			u.keys = append(u.keys, n.Value)
		}
	case *ast.MemberNode:
		if n.Optional {
			u.mayLack(n.Node)
		}
	case *ast.BinaryNode:
		_, leftNil := n.Left.(*ast.NilNode)
		_, rightNil := n.Right.(*ast.NilNode)
		switch {
		case n.Operator == "??", (n.Operator == "==" || n.Operator == "!=") && rightNil:
			u.mayLack(n.Left)
		case (n.Operator == "==" || n.Operator == "!=") && leftNil:
			u.mayLack(n.Right)
		}
	}
	if p, isAll := pathOf(*node); isAll {
		u.paths[p.text()] = p
	}
}

// mayLack notes that a path may be nil, and so the objects on the way.
func (u *fieldUses) mayLack(node ast.Node) {
	p, _ := pathOf(node)
	u.optional[p.text()] = true
	for n := range p.members {
		u.optional[(&fieldPath{field: p.field, members: p.members[:n]}).text()] = true
	}
}

// ownCalls replaces members of objects and arithmetic by calls of functions of this package.
// The library's copy the members that they find, and let integers overflow.
type ownCalls struct{ unknown string } // the name of a function that does not exist

func (c *ownCalls) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.MemberNode:
		_, isText := n.Property.(*ast.StringNode)
		isUnknown := n.Node.Type().Kind() == reflect.Interface // the library knows what others have
		if isText && isUnknown && !n.Optional && !n.Method {
			ast.Patch(node, callOf(member, n.Node, n.Property))
		}
	case *ast.UnaryNode:
		if n.Operator == "-" && !isConstant(n.Node) {
			ast.Patch(node, callOf(negative, &ast.NilNode{}, n.Node))
		}
	case *ast.BinaryNode:
		if f := arithmetic[n.Operator]; f != nil {
			ast.Patch(node, callOf(f, n.Left, n.Right))
		}
	case *ast.BuiltinNode:
		if slices.Contains(missing, n.Name) {
			c.unknown = n.Name
		}
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok && callee.Type().Kind() != reflect.Func {
			c.unknown = callee.Value
		}
	}
}

// callOf returns a call of a function that panics with its errors. The library has calls
// without reflection for functions of this type.
func callOf(f func(a, b any) any, a, b ast.Node) ast.Node {
	callee := &ast.ConstantNode{Value: f}
	callee.SetType(reflect.TypeOf(f))
	return &ast.CallNode{Callee: callee, Arguments: []ast.Node{a, b}}
}

// member returns a member of an object.
func member(object, name any) any {
	members, ok := object.(map[string]any)
	if !ok {
		panic(fmt.Errorf("cannot fetch %v from %T", name, object))
	}
	return members[name.(string)]
}

// languageWords are names that an expression reads as something else than a field.
var languageWords = []string{"in", "and", "or", "not", "let", "if", "else", "matches", "contains", "startsWith", "endsWith"}

// constants are names of values.
var constants = []string{"true", "false", "nil", "$env", "$line", "$text"}

// isPlainName reports whether an expression can name a field as it is.
func isPlainName(name string) bool {
	return name != "" && !slices.Contains(languageWords, name) && !slices.Contains(constants, name) && !unicode.IsDigit(rune(name[0])) &&
		strings.IndexFunc(name, func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0
}
