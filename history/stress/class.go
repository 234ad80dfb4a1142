package stress

import (
	"fmt"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A Class is a kind of concurrent object under test: how to make one and what
// can be called on it.
type Class struct {
	Name string
	// New makes a fresh object.
	New func() any
	// Close lets go of an object that has goroutines or the like; nil where
	// nothing needs to be done.
	Close func(object any)
	// Methods are those that programs call.
	Methods []*Method
	// Spec says what the object should answer. Without one, the object itself
	// says so, run sequentially.
	Spec replay.Spec
	// ModelArgs are the arguments that Spec was made with; the headers of
	// histories have them.
	ModelArgs []history.Value
}

// A Method is a method of a Class, or several calls that are to be one.
type Method struct {
	Name   string
	Params []Param
	// Core methods are trusted to be atomic: a program has at most one
	// invocation of others, which then is to blame.
	Core bool
	// ReadOnly methods leave the object as it is.
	ReadOnly bool
	// Weak methods are documented not to be atomic. What a weak read-only
	// method answers, a snapshot that is none or a size that is an estimate,
	// is not held against the object. A weak mutator may fail for no reason:
	// then it answers Failure and leaves the object as it is.
	Weak    bool
	Failure history.Value
	// Prepare returns a call of the method with these arguments. It is called
	// once per program, the call millions of times, on many objects and by
	// several goroutines at once; for small integers and truth values it
	// should not allocate.
	Prepare func(args []history.Value) Call
}

// A Call calls a method of an object and returns its result: None if there is
// nothing to return, a List of several results, an Exception for an error.
type Call func(object any) history.Value

// A Param is a parameter of a method.
type Param uint8

// The parameters that programs have values for. With v values to choose from,
// Ints are 0 to v-1, Texts "0" to "v-1"; Lists and Maps have up to two of them.
const (
	Int   Param = iota // an Int
	Text               // a String
	Bool               // false or true
	List               // a List of Ints
	Texts              // a List of Strings
	Map                // a Map from Ints to Ints
)

var paramNames = [...]string{"int", "text", "bool", "list", "texts", "map"}

func (p Param) String() string {
	if int(p) < len(paramNames) {
		return paramNames[p]
	}
	return fmt.Sprintf("parameter %d", uint8(p))
}

// Method returns the method called name, or nil.
func (c *Class) Method(name string) *Method {
	for _, m := range c.Methods {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// close lets go of an object.
func (c *Class) close(object any) {
	if c.Close != nil {
		c.Close(object)
	}
}
