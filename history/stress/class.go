package stress

import (
	"slices"
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/visibility"
)

// A Class describes the concurrent objects under test: how to make one, and which
// methods programs can call.
type Class struct {
	Name string
	// New makes a fresh object.
	New func() any
	// Close releases what an object holds, such as goroutines; nil if there is
	// nothing to release.
	Close func(object any)
	// Methods are those that programs call.
	Methods []*Method
	// Model and ModelArgs name the specification of the objects in the headers
	// of histories. Without a Model, the histories of a program list its
	// sequential runs.
	Model     string
	ModelArgs []history.Value

	alive   func() // called often while invocations return; or nil
	goType  string // that Reflect was given, or a pointer to it if byValue
	byValue bool
	failing bool         // see Class.Failing
	paused  *atomic.Bool // its methods have the same
}

// Moved tells a supervisor that invocations have returned.
func (c *Class) Moved() {
	if c.alive != nil {
		c.alive()
	}
}

// A Method is a method of a Class, or several calls that act as one.
type Method struct {
	Name   string
	Params []Param
	// Core methods are trusted to be atomic. A program calls at most one
	// other method, once or twice, which is then to blame for a violation.
	Core bool
	// ReadOnly methods do not change the object.
	ReadOnly bool
	// Weak methods are documented not to be atomic. The result of a weak
	// read-only method, such as an estimated size, never counts as a
	// violation. A weak mutator may fail spuriously: it then returns Failure
	// and does not change the object.
	Weak    bool
	Failure history.Value
	// Level is what a method promises that is not Weak: which other calls it may miss. The zero
	// value is visibility.Complete, as for a method that is atomic. A violation is a
	// result that the level does not allow.
	Level visibility.Level
	// Prepare returns a call of the method with these arguments. Prepare is
	// called once per program, the call millions of times, on many objects and
	// by several goroutines at once. With small integers and booleans the call
	// should not allocate.
	Prepare func(args []history.Value) Call

	goName string // of a method that Reflect has found
	inGo   *goMethod
	// In a search for failures, caller prepares calls, which pause before they return if paused is set.
	caller func(args []history.Value) caller
	paused *atomic.Bool
}

// A Call calls a method of an object and returns its result: None if the
// method returns nothing, a List of several results, an Exception for an error.
type Call func(object any) history.Value

// Method returns the method called name, or nil.
func (c *Class) Method(name string) *Method {
	for _, m := range c.Methods {
		if m.Name == name {
			return m
		}
	}
	return nil
}

func (c *Class) hasCore() bool {
	return slices.ContainsFunc(c.Methods, func(m *Method) bool { return m.Core })
}

// split returns the methods that are core and those that are not, without the weak ones.
func (c *Class) split() (core, others []*Method) {
	for _, m := range c.Methods {
		switch {
		case m.Weak:
		case m.Core:
			core = append(core, m)
		default:
			others = append(others, m)
		}
	}
	return core, others
}

// Release closes an object that is no longer needed.
func (c *Class) Release(object any) {
	if c.Close != nil {
		c.Close(object)
	}
}
