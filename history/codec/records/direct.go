package records

import (
	"reflect"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"
)

// directly returns the value of a part without the library's machine. ok is false if the
// expression needs the machine, or has an error, which the machine then reports.
func (e *environment) directly(p part) (v any, ok bool) {
	f := e.direct[p]
	if f == nil {
		return nil, false
	}
	defer func() {
		if recover() != nil {
			v, ok = nil, false
		}
	}()
	return f(), true
}

// compile returns a function that returns for the current record what the machine returns
// for a node, and panics where the machine reports an error. It returns nil for a node that
// needs the machine. A list that the function returns is valid until its next call.
func (e *environment) compile(node ast.Node) func() any {
	switch n := node.(type) {
	case *ast.NilNode:
		return constant(nil)
	case *ast.StringNode:
		return constant(n.Value)
	case *ast.BoolNode:
		return constant(n.Value)
	case *ast.ConstantNode:
		return constant(n.Value)
	case *ast.IntegerNode:
		if t := n.Type(); t.Kind() == reflect.Int {
			return constant(n.Value)
		}
	case *ast.IdentifierNode:
		return e.fieldValue(n.Value)
	case *ast.ChainNode:
		if m, ok := n.Node.(*ast.MemberNode); ok && m.Optional {
			return e.optional(m)
		}
	case *ast.CallNode: // of a function of directCalls
		if c, ok := n.Callee.(*ast.ConstantNode); ok && len(n.Arguments) == 2 {
			if f, ok := c.Value.(func(a, b any) any); ok {
				return combined(e.compile(n.Arguments[0]), e.compile(n.Arguments[1]), f)
			}
		}
	case *ast.BinaryNode:
		isEquality := n.Operator == "==" || n.Operator == "!="
		if isEquality && n.Left.Type().Kind() != reflect.Interface && n.Right.Type().Kind() != reflect.Interface {
			return nil // the machine has operators for known types
		}
		return operation(n.Operator, e.compile(n.Left), e.compile(n.Right))
	case *ast.ConditionalNode:
		cond, yes, no := e.compile(n.Cond), e.compile(n.Exp1), e.compile(n.Exp2)
		if cond != nil && yes != nil && no != nil {
			return func() any {
				if cond().(bool) {
					return yes()
				}
				return no()
			}
		}
	case *ast.ArrayNode:
		return e.listOf(n.Nodes)
	}
	return nil
}

func constant(v any) func() any { return func() any { return v } }

// fieldValue returns a function for the value of a field, by its key, for the line, or for the
// work that is left.
func (e *environment) fieldValue(key string) func() any {
	switch key {
	case "$line":
		return func() any { return e.line }
	case workKey:
		return constant(&e.work)
	}
	name, exact, ok := fieldOf(key)
	if !ok {
		return nil
	}
	f := e.fields[name]
	return func() any { return e.value(f, exact) }
}

// optional returns a function for OBJECT?.NAME.
func (e *environment) optional(n *ast.MemberNode) func() any {
	object := e.compile(n.Node)
	if inner, ok := n.Node.(*ast.MemberNode); ok && inner.Optional {
		object = e.optional(inner)
	}
	name, ok := n.Property.(*ast.StringNode)
	if object == nil || !ok {
		return nil
	}
	return func() any {
		x := object()
		if runtime.IsNil(x) {
			return nil
		}
		return member(x, name.Value)
	}
}

// combined returns a function for f of two values.
func combined(a, b func() any, f func(a, b any) any) func() any {
	if a == nil || b == nil {
		return nil
	}
	return func() any { return f(a(), b()) }
}

// operation returns a function for an operator.
func operation(operator string, a, b func() any) func() any {
	if a == nil || b == nil {
		return nil
	}
	switch operator {
	case "==":
		return combined(a, b, func(x, y any) any { return runtime.Equal(x, y) })
	case "!=":
		return combined(a, b, func(x, y any) any { return !runtime.Equal(x, y) })
	case "&&", "and":
		return func() any {
			if !a().(bool) {
				return false
			}
			return b() // of any type
		}
	case "||", "or":
		return func() any {
			if a().(bool) {
				return true
			}
			return b()
		}
	case "??":
		return func() any {
			if x := a(); !runtime.IsNil(x) {
				return x
			}
			return b()
		}
	}
	return nil
}

// listOf returns a function for a list. It makes the list once, and fills it at each call.
func (e *environment) listOf(nodes []ast.Node) func() any {
	list, parts := make([]any, len(nodes)), make([]func() any, len(nodes))
	for i, n := range nodes {
		if parts[i] = e.compile(n); parts[i] == nil {
			return nil
		}
	}
	v := any(list)
	return func() any {
		for i, f := range parts {
			list[i] = f()
		}
		return v
	}
}
