package records

import (
	"errors"

	"github.com/expr-lang/expr/ast"
)

// What an expression may have and do for one record. The memory and the work may be more for a
// large record.
const (
	maxNodes  = 1000
	maxMemory = 1 << 20 // values, and bytes of a string
	maxWork   = 1 << 23 // nodes that loops evaluate, and bytes and elements that functions and operators read
	maxNested = 2       // loops inside of one another
)

// workKey is the name in an environment of the work that the expression may still do.
const workKey = "work left"

var errWork = errors.New("work budget exceeded: loops over too many values")

// A workMeter makes loops, functions and operators count their work. The library bounds only
// nodes and memory, so that "x" in list takes minutes in a loop over the same list.
type workMeter struct {
	depths map[ast.Node]int // of what a loop evaluates for each element: 1, or more with loops inside
	nested int              // the largest of these
}

func (w *workMeter) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.PredicateNode:
		nodes, depth := 0, 1
		ast.Walk(&n.Node, nodeVisitor(func(inner ast.Node) {
			nodes++
			depth = max(depth, 1+w.depths[inner])
		}))
		w.depths[n], w.nested = depth, max(w.nested, depth)
		meter(&n.Node, func(any) int { return nodes })
	case *ast.BuiltinNode:
		meterArguments(n.Arguments)
	case *ast.CallNode:
		meterArguments(n.Arguments)
	case *ast.BinaryNode:
		switch n.Operator {
		case "==", "!=", "<", "<=", ">", ">=":
			if isConstant(n.Left) || isConstant(n.Right) {
				return // it reads no more of the other operand than it has of the constant
			}
			fallthrough
		case "in", "+", "matches", "contains", "startsWith", "endsWith":
			meterSize(&n.Left)
			meterSize(&n.Right)
		}
	}
}

func meterArguments(args []ast.Node) {
	for i := range args {
		if _, isLoop := args[i].(*ast.PredicateNode); !isLoop {
			meterSize(&args[i])
		}
	}
}

// isConstant reports whether a value is part of the expression.
func isConstant(node ast.Node) bool {
	switch node.(type) {
	case *ast.NilNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.StringNode:
		return true
	}
	return false
}

// meterSize makes the reader of a value count its size.
func meterSize(node *ast.Node) {
	if !isConstant(*node) {
		meter(node, func(v any) int { return bytesOf(v, maxWork) })
	}
}

// meter makes the node count its work when it has its value.
func meter(node *ast.Node, cost func(v any) int) {
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

// A nodeVisitor is called for each node of a tree.
type nodeVisitor func(ast.Node)

func (v nodeVisitor) Visit(node *ast.Node) { v(*node) }
