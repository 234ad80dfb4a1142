package spec

import "github.com/leadline/leadline/replay"

var stackTable = newTable([]method[*valueRing]{
	{"push(value)", pushBack, inserts},
	{"pop() -> any", popBack, removes},
	{"peek|top() -> any", peekBack, peeks},
}, sizeMethods[*valueRing]())

var stackEntry = entry{"stack", "",
	"last in, first out; pop of an empty stack returns null",
	&stackTable.signatures, newStack, nil}

func newStack(args []value) (replay.Spec, error) {
	if err := atMost("stack", args, 0); err != nil {
		return nil, err
	}
	return &specification[*valueRing]{name: "stack", args: args, table: stackTable, discipline: replay.LastIn,
		fresh: func() *valueRing { return &valueRing{isStack: true} }}, nil
}
