package stress

import (
	"fmt"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// ObjectSpec returns the specification of a class by its own objects, run
// sequentially: for Check, where no other describes them. Each state is
// reached by calling everything once more, so that histories should be short:
// of tens of operations.
func ObjectSpec(c *Class) replay.Spec { return objectSpec{c} }

// An objectSpec is a specification by the objects of a class, run
// sequentially: they are taken to be right when nothing else runs.
type objectSpec struct{ class *Class }

func (s objectSpec) Name() string { return s.class.Name }

// Check knows the methods. What their arguments and results can be, the
// objects know.
func (s objectSpec) Check(op *history.Operation) error {
	m := s.class.Method(op.Method)
	if m == nil {
		return fmt.Errorf("%s has no method %s", s.class.Name, op.Method)
	}
	if len(op.Args) != len(m.Params) {
		return fmt.Errorf("%s has %d arguments, %s takes %d", op.Method, len(op.Args), op.Method, len(m.Params))
	}
	return nil
}

func (s objectSpec) New() replay.Object { return &objectState{class: s.class} }

// An objectState is a state of an object of which nothing is known but how it
// was reached. It is copied by reaching it once more.
type objectState struct {
	class *Class
	path  []replay.Invocation // that changed the object, perhaps
	key   []byte
	live  any // the object in this state; nil if it has to be made
}

// object returns an object in the state, which the caller may change.
func (s *objectState) object() any {
	object := s.live
	if s.live = nil; object == nil {
		object = s.class.New()
		for _, inv := range s.path {
			s.call(object, inv)
		}
	}
	return object
}

func (s *objectState) call(object any, inv replay.Invocation) history.Value {
	m := s.class.Method(inv.Method)
	step := step{m.Prepare(inv.Args), m}
	return step.run(object)
}

// Apply implements replay.Object. A weak observation, whatever it was, passes
// as Unknown.
func (s *objectState) Apply(inv replay.Invocation) (history.Value, bool) {
	object := s.object()
	result := s.call(object, inv)
	s.live = object
	// Read-only methods, too: that they change nothing may be a guess.
	s.path = append(s.path[:len(s.path):len(s.path)], inv)
	s.key = append(s.key[:len(s.key):len(s.key)], inv.Method...)
	for _, a := range inv.Args {
		s.key = a.AppendKey(append(s.key, ' '))
	}
	s.key = append(s.key, 0)
	return result, true
}

// Clone implements replay.State.
func (s *objectState) Clone() replay.State {
	return &objectState{class: s.class, path: s.path, key: s.key}
}

// AppendKey implements replay.State. States that were reached differently
// have different keys, even if nothing tells them apart.
func (s *objectState) AppendKey(dst []byte) []byte { return append(dst, s.key...) }

// Outcomes implements replay.Nondeterministic: a weak mutator may fail.
func (s *objectState) Outcomes(inv replay.Invocation) []replay.Outcome {
	next := s.Clone()
	result, _ := next.Apply(inv)
	outcomes := []replay.Outcome{{Result: result, Next: next}}
	if m := s.class.Method(inv.Method); m.Weak && !m.ReadOnly {
		outcomes = append(outcomes, replay.Outcome{Result: m.Failure, Next: s.Clone()})
	}
	return outcomes
}
