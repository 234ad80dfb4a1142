package records

import (
	"errors"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
)

// What an expression may have and do for one record. The memory and the work may be more for a
// large record.
const (
	maxNodes  = 1000
	maxMemory = 1 << 20 // values, and bytes of a string
	maxWork   = 1 << 24 // nodes that loops evaluate, and bytes and elements that functions and operators read
)

// workKey is the name in an environment of the work that the expression may still do.
const workKey = "work left"

var errWork = errors.New("work budget exceeded: loops over too many values")

// A workMeter makes loops, functions and operators count their work. The library bounds only
// nodes and memory, so that three nested loops over a list of 1,000 elements take minutes.
type workMeter struct{}

func (w workMeter) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.PredicateNode:
		var nodes nodeCounter
		ast.Walk(&n.Node, &nodes)
		w.meter(&n.Node, func(any) int { return int(nodes) })
	case *ast.BuiltinNode:
		w.arguments(n.Arguments)
	case *ast.CallNode:
		if _, isFunction := n.Callee.(*ast.IdentifierNode); isFunction {
			w.arguments(n.Arguments)
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "in":
			w.operand(&n.Right)
		case "+":
			w.operand(&n.Left)
			w.operand(&n.Right)
		case "matches", "contains", "startsWith", "endsWith":
			w.operand(&n.Left)
		case "==", "!=", "<", "<=", ">", ">=":
			if isSmall(n.Right) {
				return // and so is what is compared
			}
			w.operand(&n.Left)
		}
	}
}

func (w workMeter) arguments(args []ast.Node) {
	for i := range args {
		w.operand(&args[i])
	}
}

// operand makes the reader of a value count its size.
func (w workMeter) operand(node *ast.Node) {
	if !isSmall(*node) {
		w.meter(node, func(v any) int { return bytesOf(v, maxWork) })
	}
}

// isSmall reports whether a value needs no counting: it is part of the expression, or the
// result of a loop or of another operator.
func isSmall(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.NilNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.StringNode, *ast.ConstantNode,
		*ast.ArrayNode, *ast.PredicateNode, *ast.UnaryNode:
		return true
	case *ast.BinaryNode:
		return n.Operator != "+"
	case *ast.BuiltinNode:
		return builtin.Builtins[builtin.Index[n.Name]].Predicate
	}
	return false
}

// meter makes the node count its work when it has its value.
func (w workMeter) meter(node *ast.Node, cost func(v any) int) {
	call := callOf(func(work, v any) any {
		left := work.(*int)
		if *left -= cost(v); *left < 0 {
			panic(errWork)
		}
		return v
	}, &ast.IdentifierNode{Value: workKey}, *node)
	call.SetNature(*(*node).Nature())
	ast.Patch(node, call)
}

type nodeCounter int

func (n *nodeCounter) Visit(*ast.Node) { *n++ }
