package composed

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// realSet and realQueue are written without the stand-ins.
type realSet map[any]bool

func (s realSet) Add(v any) bool      { had := s[v]; s[v] = true; return !had }
func (s realSet) Remove(v any) bool   { had := s[v]; delete(s, v); return had }
func (s realSet) Contains(v any) bool { return s[v] }
func (s realSet) Size() int           { return len(s) }

type realQueue struct{ list []any }

func (q *realQueue) Enqueue(v any) { q.list = append(q.list, v) }
func (q *realQueue) Size() int     { return len(q.list) }
func (q *realQueue) Peek() (any, bool) {
	if len(q.list) == 0 {
		return nil, false
	}
	return q.list[0], true
}

func (q *realQueue) Dequeue() (any, bool) {
	v, ok := q.Peek()
	if ok {
		q.list = q.list[1:]
	}
	return v, ok
}

// onSet and onQueue run random operations, and return their results.
func onSet(s Set, seed uint64) (text string) {
	random := rand.New(rand.NewPCG(seed, 0))
	for range 12 {
		v := []any{1, "x", nil}[random.IntN(3)]
		switch random.IntN(4) {
		case 0:
			text += fmt.Sprint(s.Add(v), " ")
		case 1:
			text += fmt.Sprint(s.Remove(v), " ")
		case 2:
			text += fmt.Sprint(s.Contains(v), " ")
		default:
			text += fmt.Sprint(s.Size(), " ")
		}
	}
	return text
}

func onQueue(q Queue, seed uint64) (text string) {
	random := rand.New(rand.NewPCG(seed, 0))
	for n := range 12 {
		switch random.IntN(4) {
		case 0:
			q.Enqueue(n)
		case 1:
			v, ok := q.Dequeue()
			text += fmt.Sprint(v, ok, " ")
		case 2:
			v, ok := q.Peek()
			text += fmt.Sprint(v, ok, " ")
		default:
			text += fmt.Sprint(q.Size(), " ")
		}
	}
	return text
}

// TestStandIns compares the set and the queue with others. The map is a sync.Map.
func TestStandIns(t *testing.T) {
	for seed := range uint64(200) {
		if got, want := onSet(setOf{all: &[]any{}}, seed), onSet(realSet{}, seed); got != want {
			t.Errorf("set: %s, want %s", got, want)
		}
		if got, want := onQueue(queueOf{all: &[]any{}}, seed), onQueue(&realQueue{}, seed); got != want {
			t.Errorf("queue: %s, want %s", got, want)
		}
	}
}
