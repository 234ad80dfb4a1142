package composed

import (
	"fmt"
	"io"
	"os"
	"time"
)

// After patience, watch writes to warnings that a method waits.
var (
	patience           = 10 * time.Second
	warnings io.Writer = os.Stderr
)

func (x *explorer) enter() { x.inside.Add(1) }
func (x *explorer) leave() { x.inside.Add(1) }

// watch writes a line if the method neither returns nor uses the collection for long: no
// code can end such a method. stop ends watch.
func (x *explorer) watch() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	ticker := time.NewTicker(patience)
	go func() {
		defer close(ended)
		defer ticker.Stop()
		for before := int64(0); ; {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			now := x.inside.Load()
			if now == before && now%2 == 1 {
				fmt.Fprintf(warnings, "composed: for %v, the method has neither returned nor used the collection; it may wait for what its arguments lack\n", patience)
				return
			}
			before = now
		}
	}()
	return func() { close(done); <-ended }
}
