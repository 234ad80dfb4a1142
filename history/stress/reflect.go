package stress

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress/values"
	"github.com/leadline/leadline/hitting/visibility"
)

// ReflectOptions describe what Reflect cannot find out by itself. Methods have their Go
// names here.
type ReflectOptions struct {
	// Name is the name of the Class; by default that of the type.
	Name string
	// Core, ReadOnly and Weak methods; see Method. Without Core, no method is
	// core, and programs mix all of them. Without ReadOnly, trials find out which methods are
	// read-only; see Reflect. One of Weak can have a level,
	// as in Len=monotonic. Then it is not Weak, but has this Level.
	Core, ReadOnly, Weak []string
	// Failure is what a Weak method that is not read-only returns when it
	// fails. By default its results are zero then: false, or [0, false].
	Failure map[string]history.Value `json:"-"`
	// Exclude are methods that are not to be called.
	Exclude []string
	// Spec is the specification of the objects. Methods that it does not have
	// are left out. One that it has with a lower-case first letter gets that
	// name. Results must have the form of those of Spec. The name of Spec is
	// the Model of the Class.
	Spec Spec `json:"-"`
	// Close is that of the Class.
	Close func(object any) `json:"-"`
	// Makers are functions such as constructors. Parameters get their results, if the parameters
	// of the functions are numbers, strings or booleans.
	Makers []any `json:"-"`
	// Module is a directory of the module in which the Go tool finds the source of the type,
	// which alone shows generic methods. The default is the working directory.
	Module string

	alive    func()                                // called when the constructor has returned, and often after that; or nil
	trying   func(method string) (returned func()) // called before each call of a trial; or nil
	settled  bool                                  // another process has found the methods that are left out
	programs string                                // names methods that are not left out
}

// A Spec is what this package needs of a specification; see replay.Spec.
type Spec interface {
	Name() string
	Check(op *history.Operation) error
}

// Reflected is what Reflect returns.
type Reflected struct {
	Class   *Class
	LeftOut []Omission // exported methods that the Class does not have, by name
}

// excludedReason is why ReflectOptions.Exclude leaves out a method.
const excludedReason = "excluded"

// Reflect derives a Class from the exported methods of T, a pointer or an
// interface. For any other type it takes the methods of *T.
//
// Package values has the arguments that parameters get, by their types: numbers, strings,
// slices, maps, structs, times, contexts, readers, functions, iterators, other objects of the
// type and more. A method that calls a function for each of its elements, or writes to a
// writer, has these calls or writes as its result. Interfaces get a result of
// ReflectOptions.Makers, or a value of a type that T
// mentions and that has the methods. Variadic parameters of functions, as of options, get
// none. Every call gets new slices, maps, pointers and functions.
//
// Results become values as values.Show says: numbers, strings, lists, maps, what iterators and
// channels yield, and otherwise the name of the type or null. Moreover,
//   - a non-nil error is an exception, which is then the whole result; a nil error
//     is dropped, so that (int, error) is an int or an exception;
//   - several results are a list.
//
// A result is read after the method has returned. If it shares a map with an
// object that goes on changing it, that may end the process, as in any program.
//
// Left out are
//   - methods with parameters of other types, such as an interface that no type of the
//     package implements, and generic methods; see stresstest.Test for how to test these;
//   - if T is an interface, the methods of the object that it does not have;
//   - methods that twice do not return within 200 ms on a fresh object. If such a method
//     waits for other calls, it is left out only if it also waits in 30 trials with random
//     calls before and after it. The goroutines of these calls may remain;
//   - the methods of a lock of package sync that the type embeds, unless a designation or
//     one of Options.Programs names them.
//
// Reflect calls every other method. A constructor that does not return within 20 seconds is an
// error.
//
// A method that is Weak or has a level is read-only if no call of it, between random calls, changed the
// state of the object or the results of later calls. This is a test, not a proof. A method called
// Get, Len or the like (see readOnlyPrefixes) is tried, too, and may change the state, as a reader
// that counts its calls does. Then the test may miss a change with late effects, such as one of the
// order in which a cache evicts. Other methods are not tried, as that may end the process. States
// are compared by reflect.DeepEqual, unless those of two objects differ after the same calls, or
// goroutines run that the object started. Where no method is found that changes the object, none is
// taken to be read-only: a lazy value changes in its first call, though no result shows that.
func Reflect[T any](newObject func() T, o ReflectOptions) (*Reflected, error) {
	switch t := reflect.TypeFor[T](); t.Kind() {
	case reflect.Pointer, reflect.Interface:
		return derive(t, func() any { return newObject() }, o)
	}
	r, err := derive(reflect.TypeFor[*T](), func() any { v := newObject(); return &v }, o)
	if err == nil {
		r.Class.byValue = true
	}
	return r, err
}

func derive(t reflect.Type, newObject func() any, o ReflectOptions) (*Reflected, error) {
	schedule.SaveGlobals()
	r := &Reflected{Class: &Class{Name: o.Name, New: newObject, Close: o.Close, alive: o.alive}}
	object, err := r.Class.Make()
	if err != nil {
		return nil, fmt.Errorf("reflecting on %v: %w", t, err)
	}
	v := reflect.ValueOf(object)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("reflecting on %v: a new object is nil", t)
	}
	r.Class.Release(object)
	if o.alive != nil {
		o.alive()
	}
	if !o.settled {
		r.LeftOut = unreachable(t, object, o.Module)
	}
	if err := o.check(t, r.LeftOut); err != nil {
		return nil, fmt.Errorf("reflecting on %v: %w", t, err)
	}
	for i, l := range r.LeftOut {
		if slices.Contains(o.Exclude, l.What) {
			r.LeftOut[i].Why = excludedReason
		}
	}
	if o.Spec != nil {
		r.Class.Model = o.Spec.Name()
	}
	if o.Name == "" {
		r.Class.Name = typeName(t)
	}
	_, r.Class.goType = values.TypeSource(t)
	other := func() reflect.Value { return reflect.ValueOf(newObject()) }
	for i := range t.NumMethod() {
		m := t.Method(i)
		if !m.IsExported() {
			continue
		}
		method, reason := deriveMethod(t, m, o, other)
		if reason != "" && slices.Contains(o.Core, m.Name) {
			return nil, fmt.Errorf("reflecting on %v: core method %s is left out: %s", t, m.Name, reason)
		}
		if reason != "" {
			r.LeftOut = append(r.LeftOut, Omission{What: m.Name, Why: reason})
			continue
		}
		method.goName = m.Name
		r.Class.Methods = append(r.Class.Methods, method)
	}
	slices.SortFunc(r.LeftOut, func(a, b Omission) int { return strings.Compare(a.What, b.What) })
	if len(r.Class.Methods) == 0 {
		text := "it has no method to call"
		for _, l := range r.LeftOut {
			text += fmt.Sprintf("; %s is left out: %s", l.What, l.Why)
		}
		return nil, fmt.Errorf("reflecting on %v: %s", t, text)
	}
	if o.ReadOnly == nil {
		if err := r.Class.findReadOnly(o.trying); err != nil {
			return nil, fmt.Errorf("reflecting on %v: %w", t, err)
		}
	}
	for _, m := range r.Class.Methods {
		if m.ReadOnly {
			m.Failure = history.NoValue
		}
	}
	return r, nil
}

// findReadOnly finds out which methods only read.
func (c *Class) findReadOnly(trying func(string) func()) (err error) {
	changes := false
	for _, m := range c.Methods {
		if namedReadOnly(m.goName) || m.Weak || m.Level != visibility.Complete { // trials of others may end the process
			if m.ReadOnly, err = staysReadOnly(c, m, trying); err != nil {
				return err
			}
		}
		changes = changes || !m.ReadOnly && !m.Weak
	}
	for _, m := range c.Methods { // without changes, no program would be worth running: the first call may differ
		m.ReadOnly = m.ReadOnly && (m.Weak || changes)
	}
	return nil
}

func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.String()
}

// check returns an error if a designation names a method that t does not have, or if
// two contradict each other. Exclude may name one that is left out.
func (o *ReflectOptions) check(t reflect.Type, leftOut []Omission) error {
	weak, _, err := o.Levels()
	if err != nil {
		return err
	}
	for i, name := range slices.Concat(o.Core, o.ReadOnly, weak, o.Exclude) {
		_, ok := t.MethodByName(name)
		n := slices.IndexFunc(leftOut, func(l Omission) bool { return l.What == name })
		excluded := i >= len(o.Core)+len(o.ReadOnly)+len(weak)
		switch {
		case ok, excluded && (n >= 0 || o.settled):
		case n >= 0:
			return fmt.Errorf("method %s is left out: %s", name, leftOut[n].Why)
		default:
			return fmt.Errorf("there is no method %s", name)
		}
	}
	for _, name := range o.Core {
		if slices.Contains(weak, name) {
			return fmt.Errorf("method %s cannot be both core and weak", name)
		}
	}
	for _, name := range slices.Concat(o.Core, o.ReadOnly, weak) {
		if slices.Contains(o.Exclude, name) {
			return fmt.Errorf("method %s is excluded, and designated as core, read-only or weak", name)
		}
	}
	return nil
}

// Levels returns the names of the methods in Weak, and the levels of those that have one.
func (o *ReflectOptions) Levels() (names []string, levels map[string]visibility.Level, err error) {
	levels = map[string]visibility.Level{}
	for _, text := range o.Weak {
		name, level, found := strings.Cut(text, "=")
		if slices.Contains(names, name) {
			return nil, nil, fmt.Errorf("method %s is weak twice", name)
		}
		names = append(names, name)
		if !found {
			continue
		}
		if levels[name], err = visibility.Parse(level); err != nil {
			return nil, nil, fmt.Errorf("method %s: %w", name, err)
		}
	}
	return names, levels, nil
}

// mustHave returns an error if one of the methods is left out.
func (r *Reflected) mustHave(methods []string) error {
	for _, l := range r.LeftOut {
		if slices.Contains(methods, l.What) && r.Class.Method(l.What) == nil {
			return fmt.Errorf("method %s of %s is left out: %s", l.What, r.Class.Name, l.Why)
		}
	}
	return nil
}

// promotedReason is why the methods of an embedded lock are left out.
const promotedReason = "promoted from an embedded lock: name it among the core, read-only or weak ones, or in a program"

// deriveMethod returns the Method for m, or why there is none.
func deriveMethod(t reflect.Type, m reflect.Method, o ReflectOptions, other func() reflect.Value) (*Method, string) {
	if slices.Contains(o.Exclude, m.Name) {
		return nil, excludedReason
	}
	method := &Method{
		Name:     m.Name,
		Core:     slices.Contains(o.Core, m.Name),
		ReadOnly: slices.Contains(o.ReadOnly, m.Name),
	}
	names, levels, _ := o.Levels()
	level, hasLevel := levels[m.Name]
	method.Level, method.Weak = level, slices.Contains(names, m.Name) && !hasLevel
	s, reason := signatureOf(m, values.Object{Type: t, Makers: o.Makers}, o.Spec != nil)
	if reason != "" {
		return nil, reason
	}
	s.other = other
	named := method.Core || method.ReadOnly || slices.Contains(names, m.Name) || strings.Contains(o.programs, m.Name+"(")
	if !named && slices.Contains(lockMethods, m.Name) && isPromoted(t, m.Name, 0) {
		return nil, promotedReason
	}
	for i, p := range s.params {
		if !s.hidden[i] {
			method.Params = append(method.Params, p)
		}
	}
	if o.Spec != nil {
		if method.Name, reason = nameIn(o.Spec, method); reason != "" {
			return nil, reason
		}
	}
	if failure, ok := o.Failure[m.Name]; ok {
		method.Failure = failure
	} else if method.Weak {
		method.Failure = s.value(s.zeros(), &values.Maker{})
	}
	method.inGo = &goMethod{s, m, elem(t).PkgPath()}
	method.Prepare = method.inGo.prepare(s.value)
	return method, ""
}

// nameIn returns the name of a method in the specification, or why it has none.
func nameIn(spec Spec, m *Method) (name, reason string) {
	first, size := utf8.DecodeRuneInString(m.Name)
	var err error
	for _, name := range []string{string(unicode.ToLower(first)) + m.Name[size:], m.Name} {
		op := history.Operation{Method: name, Result: history.UnknownValue}
		for _, p := range m.Params {
			op.Args = append(op.Args, p.Some(0))
		}
		if err = spec.Check(&op); err == nil {
			return name, ""
		}
	}
	return "", fmt.Sprintf("model %s: %v", spec.Name(), err)
}

// readOnlyPrefixes are the first words of names of methods that may be read-only.
var readOnlyPrefixes = strings.Fields(`All At Available Back Cap Contains Count Empty Entries Exists Find First Front Get
	Has Head Index Is Items Iter Keys Last Len Length List Load Lookup Max Min Peek Permits Query Range Read
	Remaining Size Slice Snapshot State String Sum Tail To Top Total Value Values Weight`)

// iterations are the first words of names of methods that call a function for each element.
// Another method may call a function again, when a compare-and-swap has failed.
var iterations = strings.Fields("All Ascend Descend Do Each Entries ForEach Foreach Items Iter Iterate Keys List Map Range Scan Traverse Values View Visit Walk")

func iterates(name string) bool { return beginsWith(iterations, name) }

// namedReadOnly reports whether a name begins with one of the words.
func namedReadOnly(name string) bool { return beginsWith(readOnlyPrefixes, name) }

func beginsWith(words []string, name string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		rest, ok := strings.CutPrefix(name, word)
		next, _ := utf8.DecodeRuneInString(rest)
		return ok && !unicode.IsLower(next)
	})
}

const (
	readOnlyTrials = 200
	readOnlyEnough = 20                    // trials that are significant
	readOnlyTime   = time.Second           // after which more than a few slow trials are too many
	readOnlyLimit  = 10 * time.Millisecond // of a call, until the trial proves nothing
	readOnlyLate   = 5                     // such trials, until the method counts as waiting: a busy machine is late, too
)

// detectsRaces is set if the race detector would report the comparison of states that timers change.
var detectsRaces = false

// staysReadOnly reports whether random trials confirm that m is read-only. In a
// trial, three objects get the same calls, m is called on the first, and then
// they get the same calls again. If the results of the first object differ from
// those of the second, m has changed it, unless the results of the third differ,
// too. So it is with the states of the objects, unless the name of m suggests that it only reads.
// A method that waits in several trials is not called in later ones, and none that may unlock
// what is not locked: that ends the process. It is an error if the
// constructor waits.
func staysReadOnly(c *Class, m *Method, trying func(string) func()) (bool, error) {
	random := rand.New(rand.NewPCG(1, 1)) // the same trials each time
	usable, late := *c, map[*Method]int{}
	usable.Methods = slices.DeleteFunc(slices.Clone(c.Methods), (*Method).gives)
	enough, most := 0, 6
	named, unknown, before, start := namedReadOnly(m.goName), 0, runtime.NumGoroutine(), time.Now()
	for n := 0; n < readOnlyTrials && unknown < readOnlyEnough && slices.Contains(usable.Methods, m); n++ {
		if n > readOnlyEnough+readOnlyLate && (runtime.NumGoroutine() > before+n || time.Since(start) > readOnlyTime) {
			break // more would only be slower
		}
		past, future := randomCalls(random, &usable, most, trying), randomCalls(random, &usable, most, trying)
		observe := randomCall(random, m, trying)
		var results [3]string
		var objects [3]any
		ended := true
		for i := range results {
			calls := slices.Clone(past)
			if i == 0 {
				calls = append(calls, observe, observe)
			}
			calls = append(append(calls, future...), prepared{func(object any) history.Value { objects[i] = object; return history.NoValue }, m})
			got, err := c.sequential(calls, readOnlyLimit)
			if waits, ok := err.(*WaitsError); ok && waits.Method == constructor {
				return false, errConstructor()
			}
			if ended = len(got) == len(calls); !ended {
				waits := calls[len(got)].method
				if late[waits]++; late[waits] == readOnlyLate {
					usable.Methods = slices.DeleteFunc(slices.Clone(usable.Methods), func(m *Method) bool { return m == waits })
				}
				break
			}
			results[i] = fmt.Sprint(got[len(got)-1-len(future):])
		}
		switch {
		case !ended:
		case results[1] != results[2]: // chance
		case results[0] != results[1]:
			return false, nil
		case named:
			enough++
		case detectsRaces || runtime.NumGoroutine() > before+1 || !reflect.DeepEqual(objects[1], objects[2]):
			unknown++
		case !reflect.DeepEqual(objects[0], objects[1]):
			return false, nil
		default:
			enough++
		}
	}
	return enough >= readOnlyEnough, nil
}

func randomCalls(random *rand.Rand, c *Class, most int, trying func(string) func()) []prepared {
	calls := make([]prepared, random.IntN(most+1))
	for i := range calls {
		calls[i] = randomCall(random, c.Methods[random.IntN(len(c.Methods))], trying)
	}
	return calls
}

func randomCall(random *rand.Rand, m *Method, trying func(string) func()) prepared {
	args := make([]history.Value, len(m.Params))
	for i, p := range m.Params {
		args[i] = p.Some(random.IntN(3))
	}
	s := Invocation{m, args}.prepare()
	if call := s.call; trying != nil {
		s.call = func(object any) history.Value {
			defer trying(m.goName)()
			return call(object)
		}
	}
	return s
}
