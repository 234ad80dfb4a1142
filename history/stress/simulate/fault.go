package simulate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Fault makes a history not linearizable at one place.
type Fault struct {
	Kind    FaultKind
	Percent int // how much of the operations has begun then, 0 to 100
}

// A FaultKind is what goes wrong.
type FaultKind uint8

const (
	// Wrong lets one operation, alone, give an answer that no order of the
	// others allows: a value removed long ago, or never written; the opposite
	// of whether there is an element; a count that is too high.
	Wrong FaultKind = iota
	// Swap lets two values, inserted or written one after the other, come out
	// in the wrong order, as far from there as the model allows. Sets,
	// counters and mutexes have no such order.
	Swap
)

var faultNames = [...]string{"wrong", "swap"}

func (k FaultKind) String() string {
	if int(k) < len(faultNames) {
		return faultNames[k]
	}
	return fmt.Sprintf("fault kind %d", uint8(k))
}

func (f Fault) String() string { return fmt.Sprintf("%v@%d", f.Kind, f.Percent) }

// ParseFault reads a Fault as it prints: wrong@50.
func ParseFault(text string) (Fault, error) {
	name, number, _ := strings.Cut(text, "@")
	percent, err := strconv.Atoi(number)
	for k, known := range faultNames {
		if name == known && err == nil && 0 <= percent && percent <= 100 {
			return Fault{FaultKind(k), percent}, nil
		}
	}
	return Fault{}, fmt.Errorf("fault %q: want wrong@PERCENT or swap@PERCENT, 0 to 100", text)
}

func (w *Workload) checkFault(f Fault, m *model) error {
	switch {
	case int(f.Kind) >= len(faultNames):
		return errors.New(f.Kind.String())
	case f.Percent < 0 || f.Percent > 100:
		return fmt.Errorf("fault %v: want a percentage of 0 to 100", f)
	case f.Kind == Swap && (m.shape == named || m.shape == number || m.shape == lock):
		return fmt.Errorf("fault %v: a %s has no order of values", f, m.name)
	case m.shape == lock && w.Lost > 0:
		return fmt.Errorf("fault %v: with lost operations nobody knows whether a mutex is held", f)
	}
	return nil
}
