package spec

import "github.com/leadline/leadline/replay"

var stackTable = newTable([]method[*valueRing]{
	{"push(value)", pushBack},
	{"pop() -> any", popBack},
	{"peek|top() -> any", peekBack},
}, sizeMethods[*valueRing]())

func newStack(args []value) (replay.Spec, error) {
	if err := atMost("stack", args, 0); err != nil {
		return nil, err
	}
	return &specification[*valueRing]{"stack", args, stackTable, newValueRing}, nil
}
