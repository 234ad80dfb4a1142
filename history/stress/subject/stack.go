package subject

import (
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A stack is an unbounded stack.
type stack interface {
	push(v int)
	pop() (int, bool)
	peek() (int, bool)
}

func stacks() []*Subject {
	return subjects(model{name: "stack"}, []*stress.Method{
		unary("push", core, func(s stack, v int) history.Value { s.push(v); return history.NoValue }),
		nullary("pop", core, func(s stack) history.Value { return orNull(s.pop()) }),
		nullary("peek", core|readOnly, func(s stack) history.Value { return orNull(s.peek()) }),
	}, variant{
		name: "stack", doc: "the stack of Treiber",
		new: func() any { return &linkedStack{} },
	}, variant{
		name: "stack-stale-pop", doc: "a stack whose pop, when it has to try again, still answers what it read first",
		new: func() any { return &staleStack{} }, twin: "stack",
	})
}

// A linkedStack is the stack of Treiber ("Systems Programming: Coping with
// Parallelism", 1986).
type linkedStack struct{ top atomic.Pointer[stackNode] }

type stackNode struct {
	v    int
	next *stackNode
}

func (s *linkedStack) push(v int) {
	node := &stackNode{v: v}
	for {
		node.next = s.top.Load()
		if s.top.CompareAndSwap(node.next, node) {
			return
		}
	}
}

func (s *linkedStack) pop() (int, bool) {
	for {
		top := s.top.Load()
		if top == nil {
			return 0, false
		}
		if s.top.CompareAndSwap(top, top.next) {
			return top.v, true
		}
	}
}

func (s *linkedStack) peek() (int, bool) {
	if top := s.top.Load(); top != nil {
		return top.v, true
	}
	return 0, false
}
