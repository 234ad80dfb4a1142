package codec

import "github.com/leadline/leadline/history"

// addTo gives what the line says, a header excepted, to the history that it
// belongs to. What is wrong with the line by itself is left in l.problem.
func (l *nativeLine) addTo(b *history.Builder, line int) {
	switch {
	case l.seen&fieldEdge != 0:
		b.AddEdge(l.from, l.to, line)
		return
	case l.seen&fieldMark != 0:
		if l.seen&fieldOp == 0 {
			l.fault(`a mark needs "op"`)
			return
		}
		b.Mark(l.event.Op, l.happened, line)
		return
	}
	switch l.event.Type {
	case history.Invoke:
		l.checkInvoke()
	case history.OK:
		l.checkOK()
	default:
		if extra := l.seen & (fieldMethod | fieldArgs | fieldResult | fieldException | fieldUnknown); extra != 0 {
			l.fault("an event of type %q has no %s", l.event.Type, extra.names())
		}
	}
	if l.seen&fieldAt == 0 && b.Header().Order == history.StampOrder {
		l.fault(`an event of a history ordered by stamps needs "at"`)
	}
	if l.problem == "" {
		l.event.Line = line
		b.Add(&l.event)
	}
}

func (l *nativeLine) checkInvoke() {
	switch extra := l.seen & (fieldResult | fieldException | fieldUnknown); {
	case extra != 0:
		l.fault("an invocation has no %s", extra.names())
	case l.seen&fieldMethod == 0:
		l.fault(`an invocation needs "method"`)
	case l.seen&fieldProcess == 0:
		l.fault(`an invocation needs "process"`)
	}
}

func (l *nativeLine) checkOK() {
	if extra := l.seen & (fieldMethod | fieldArgs); extra != 0 {
		l.fault("a response has no %s; its invocation has", extra.names())
	}
	if some := l.seen & (fieldResult | fieldException | fieldUnknown); some&(some-1) != 0 {
		l.fault("a response has one of %s", some.names())
	}
}
