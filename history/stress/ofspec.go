package stress

import (
	"fmt"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// NewExpectedOf is NewExpected with what a specification answers in place of
// what the object itself does when it is run sequentially. An invocation for
// which the specification has no transition, as it would have to wait, answers
// an exception.
func NewExpectedOf(spec replay.Spec, c *Class, p *Program) (*Expected, error) {
	model := &Class{Name: c.Name, New: func() any { return spec.New() }}
	methods := map[*Method]*Method{}
	for _, m := range c.Methods {
		copied := *m
		copied.Prepare = func(args []history.Value) Call { return applies(replay.Invocation{Method: m.Name, Args: args}) }
		model.Methods = append(model.Methods, &copied)
		methods[m] = &copied
	}
	q := p.clone()
	for i := range q.Len() {
		inv := q.at(i)
		if err := spec.Check(&history.Operation{Method: inv.Method.Name, Args: inv.Args, Result: history.UnknownValue}); err != nil {
			return nil, fmt.Errorf("the specification %s: %w", spec.Name(), err)
		}
		inv.Method = methods[inv.Method]
	}
	return NewExpected(model, q)
}

func applies(inv replay.Invocation) Call {
	return func(object any) history.Value {
		result, ok := object.(replay.Object).Apply(inv)
		if !ok {
			return history.ExceptionValue("has to wait")
		}
		return result
	}
}
