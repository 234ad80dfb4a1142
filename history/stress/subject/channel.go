package subject

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// channels is a buffered channel as a bounded queue whose methods do not wait.
func channels() []*Subject {
	return subjects(model{"queue", []history.Value{history.IntValue(2)}}, []*stress.Method{
		unary("enqueue", core, func(c chan int, v int) history.Value {
			select {
			case c <- v:
				return history.BoolValue(true)
			default:
				return history.BoolValue(false)
			}
		}),
		nullary("dequeue", core, func(c chan int) history.Value {
			select {
			case v := <-c:
				return intValue(v)
			default:
				return history.NullValue
			}
		}),
		// The language says of len that it is the number of elements queued,
		// and not when: it takes no part in the ordering of sends and
		// receives.
		nullary("size", readOnly|weak, func(c chan int) history.Value { return intValue(len(c)) }),
	}, variant{
		name: "channel", doc: "a channel with a buffer of 2; tries to send and to receive are enqueue and dequeue",
		new: func() any { return make(chan int, 2) },
	})
}
