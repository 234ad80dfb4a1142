package subject

import (
	"slices"
	"sync"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A Subject is an object under test, of which it is known whether it is
// correct.
type Subject struct {
	Class  *stress.Class // must not be changed
	Doc    string        // one line
	Broken bool
	// Twin is the correct subject with the same methods, of a broken one.
	Twin string
}

// all makes the subjects once: some are derived by trying methods out.
var all = sync.OnceValue(func() []*Subject {
	return slices.Concat(
		syncMaps(), channels(), counters(), registers(), pairs(), rings(), queues(), stacks(),
		sets(), mappings(), shardedMaps(), semaphores(), banks(),
	)
})

// All returns the subjects in a fixed order, the twins after the correct ones.
func All() []*Subject { return slices.Clone(all()) }

// Lookup returns the subject whose Class is called name, or nil.
func Lookup(name string) *Subject {
	for _, s := range all() {
		if s.Class.Name == name {
			return s
		}
	}
	return nil
}

// A variant is one implementation of a kind of object.
type variant struct {
	name, doc string
	new       func() any
	twin      string // of a broken one
}

// A model names a specification; the zero value means none.
type model struct {
	name string
	args []history.Value
}

// subjects returns a subject for each variant, all with the same methods and
// the same model.
func subjects(of model, methods []*stress.Method, variants ...variant) []*Subject {
	var list []*Subject
	for _, v := range variants {
		list = append(list, &Subject{
			Class: &stress.Class{Name: v.name, New: v.new, Methods: methods, Model: of.name, ModelArgs: of.args},
			Doc:   v.doc, Broken: v.twin != "", Twin: v.twin,
		})
	}
	return list
}
