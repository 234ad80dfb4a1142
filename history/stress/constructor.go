package stress

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

// constructorChecks is how often to check whether the constructor has returned before it
// counts as blocked. A busy machine only delays the checks.
const constructorChecks = 100

// constructor stands for a method in reports about objects that are not made.
const constructor = "the constructor"

var constructorPause = 200 * time.Millisecond

func constructorTime() time.Duration { return constructorChecks * constructorPause }

func errConstructor() error {
	return fmt.Errorf("the constructor has not returned within %v; it has to return an object without waiting for other calls", constructorTime())
}

// Make returns a new object, or an error if the constructor does not return within 20 seconds.
// Its goroutine then stays. A panic or runtime.Goexit of the constructor, as by testing.T.FailNow,
// is one of the caller.
func (c *Class) Make() (any, error) {
	type made struct {
		object any
		panics string
		ended  bool // the constructor has returned
	}
	result := make(chan made, 1)
	go func() {
		var m made
		defer func() {
			if p := recover(); p != nil {
				m.panics = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
			}
			result <- m
		}()
		m.object = c.New()
		m.ended = true
	}()
	pause := time.NewTicker(constructorPause)
	defer pause.Stop()
	for range constructorChecks {
		select {
		case m := <-result:
			switch {
			case m.panics != "":
				panic(m.panics)
			case !m.ended:
				runtime.Goexit()
			}
			return m.object, nil
		case <-pause.C:
		}
	}
	return nil, errConstructor()
}
