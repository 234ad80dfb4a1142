package explore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

// A lazy value is made by its first call. The second caller does not wait for that.
type lazy struct{ started, value cell }

func (l *lazy) Get() int {
	if l.started.add(1) == 1 {
		l.value.store(7)
	}
	return int(l.value.load())
}

// Of lazies there is one for each key.
type lazies struct{ all [3]lazy }

func (l *lazies) Load(key int) int { return l.all[key].Get() }

// A once runs something in its first call; later ones return before it has run.
type once struct{ lazy }

func (o *once) Get(struct{ f func() }) {} // left out

func (o *once) IsDone() bool { return o.lazy.Get() == 7 }

// An idSource gives one number twice.
type idSource struct{ last cell }

func (s *idSource) GetID() int {
	id := s.last.load() + 1
	s.last.store(id)
	return int(id)
}

// TestOneMethod: a type whose only method has the name of one that changes nothing is
// searched all the same.
func TestOneMethod(t *testing.T) {
	for name, c := range map[string]*stress.Class{
		"Get":    classOf(t, func() *lazy { return &lazy{} }, stress.ReflectOptions{}),
		"Load":   classOf(t, func() *lazies { return &lazies{} }, stress.ReflectOptions{}),
		"IsDone": classOf(t, func() *once { return &once{} }, stress.ReflectOptions{}),
		"GetID":  classOf(t, func() *idSource { return &idSource{} }, stress.ReflectOptions{}),
	} {
		ctx, stop := context.WithCancel(t.Context())
		program := ""
		r, err := stress.Search(ctx, c, stress.Options{Executor: explore.New, Checker: stresstest.Checker(nil),
			Effort: stress.Effort{Time: patience, Program: time.Millisecond}, Found: func(f *stress.Finding) {
				program = f.Program
				stop()
			}})
		stop()
		first, second, _ := strings.Cut(program, " || ")
		if err != nil || first != second || !strings.HasPrefix(first, "{ "+name+"(") {
			t.Errorf("%s: %q, want two calls; %+v, %v", name, program, r, err)
		}
	}
}
