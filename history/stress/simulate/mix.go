package simulate

import (
	"fmt"
	"strconv"
	"strings"
)

// A Mix says how often kinds of operations are drawn, in proportion to one
// another. The zero Mix means the model's own. Collections draw insertions
// more often and removals less while they are to grow, and the other way
// round, so that they hover; over a long time that evens out.
type Mix struct {
	Insert int // enqueue, push, add, put, write, increment, lock
	Remove int // dequeue, pop, poll, remove, decrement; a mutex is unlocked by whoever holds it
	Look   int // peek, contains, get, read, isLocked
	Update int // cas; getAndIncrement of a counter, tryLock of a mutex
}

// maxWeight keeps sums of weights far from overflow.
const maxWeight = 1_000_000

func (m *Mix) fields() [4]mixField {
	return [...]mixField{{"insert", &m.Insert}, {"remove", &m.Remove}, {"look", &m.Look}, {"update", &m.Update}}
}

type mixField struct {
	name   string
	weight *int
}

// ParseMix reads a Mix as it prints: insert=4,remove=4,look=1. Kinds that are
// left out are not drawn.
func ParseMix(text string) (Mix, error) {
	var m Mix
	given := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(part, "=")
		weight, err := strconv.Atoi(number)
		if err != nil || weight < 0 || weight > maxWeight || given[name] {
			return Mix{}, fmt.Errorf("mix %q: want insert=N,remove=N,look=N,update=N or some of them, N up to %d", text, maxWeight)
		}
		given[name] = true
		known := false
		for _, f := range m.fields() {
			if f.name == name {
				*f.weight, known = weight, true
			}
		}
		if !known {
			return Mix{}, fmt.Errorf("mix %q: there is no kind %q, only insert, remove, look and update", text, name)
		}
	}
	if m == (Mix{}) {
		return Mix{}, fmt.Errorf("mix %q draws nothing", text)
	}
	return m, nil
}

func (m Mix) String() string {
	var parts []string
	for _, f := range m.fields() {
		if *f.weight != 0 {
			parts = append(parts, f.name+"="+strconv.Itoa(*f.weight))
		}
	}
	return strings.Join(parts, ",")
}

// fillMix fills in the model's own mix, or reports kinds that it lacks.
func (w *Workload) fillMix(m *model) error {
	if w.Mix == (Mix{}) {
		w.Mix = m.mix
		return nil
	}
	for k, f := range w.Mix.fields() {
		switch {
		case *f.weight < 0 || *f.weight > maxWeight:
			return fmt.Errorf("mix %s=%d: want 0 to %d", f.name, *f.weight, maxWeight)
		case *f.weight > 0 && len(m.methods[k]) == 0:
			return fmt.Errorf("mix %s=%d: a %s has no such operation", f.name, *f.weight, m.name)
		}
	}
	return nil
}
