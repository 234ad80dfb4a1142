package batch

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/leadline/leadline/history"
)

// inKey says of each field of a history whether an outcome depends on it. Whoever adds a
// field has to decide that: if it does, Key covers it.
var inKey = map[string]bool{
	"History.Header.ID":           true,
	"History.Header.File":         false, // Key takes it from the entry
	"History.Header.Line":         false,
	"History.Header.Format":       true,
	"History.Header.Model":        true,
	"History.Header.ModelArgs":    true,
	"History.Header.Tie":          true,
	"History.Header.Order":        true,
	"History.Header.Durability":   true,
	"History.Header.Unterminated": false, // AppendLine takes it from the entry
	"History.Header.SortedBy":     false, // AppendLine takes it from the entry
	"History.Header.NoProcesses":  false, // for display
	"History.Header.Warning":      false, // for standard error
	"History.Ops":                 true,
	"History.Processes":           true,
	"History.Edges":               true,
	"History.Ghosts":              true,
	"History.Waits":               true,
	"History.Dropped":             true,
	"History.Stamps":              false, // for display: positions are the order
	"History.relaxed":             true,
	"History.intervals":           false, // one more changes nothing; see interval.call
	"Operation.Method":            true,
	"Operation.Args":              true,
	"Operation.Result":            true,
	"Operation.Process":           true,
	"Operation.Call":              true,
	"Operation.Return":            true,
	"Operation.Line":              false,
	"Operation.Happened":          true,
	"Operation.Waits":             true,
	"Operation.Version":           true,
	"Operation.Crashed":           true,
	"Wait.Op":                     true,
	"Wait.For":                    true,
	"Operation.ended":             false, // for the Builder
	"Operation.dropped":           false, // for the Builder
	"Operation.idNum":             true,
	"Operation.idRef":             true,
	"Edge.From":                   true,
	"Edge.To":                     true,
	"interval.call":               true,
	"interval.end":                true,
}

// changeEach changes each field of a value in turn, calls f with the names of its type and
// of the field, and restores it. Of a slice that is not empty, it changes the length, and
// then the first element.
func changeEach(v reflect.Value, name string, f func(field string)) {
	for i := range v.NumField() {
		field := name + "." + v.Type().Field(i).Name
		at := reflect.NewAt(v.Field(i).Type(), unsafe.Pointer(v.Field(i).UnsafeAddr())).Elem() // fields that are not exported, too
		if at.Kind() == reflect.Struct && at.Type() != reflect.TypeFor[history.Value]() {
			changeEach(at, field, f)
			continue
		}
		if at.Kind() == reflect.Slice && at.Len() == 0 {
			continue
		}
		before := reflect.New(at.Type()).Elem()
		before.Set(at)
		change(at)
		f(field)
		at.Set(before)
		if at.Kind() == reflect.Slice && at.Type().Elem().Kind() == reflect.Struct && at.Type().Elem() != reflect.TypeFor[history.Value]() {
			changeEach(at.Index(0), at.Type().Elem().Name(), f)
		}
	}
}

// change gives v another value.
func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() ^ 1) // an index stays one
	case reflect.Uint8:
		v.SetUint(v.Uint() + 1)
	case reflect.Slice:
		v.Set(reflect.Append(v, v.Index(0)))
	case reflect.Struct: // a Value
		v.Set(reflect.ValueOf(history.StringValue("other")))
	case reflect.Pointer:
		other := reflect.New(v.Type().Elem())
		if v.Type().Elem().Name() == "rest" { // of an identifier, which only SetID makes
			var op history.Operation
			op.SetID(history.StringValue("other"))
			other = reflect.NewAt(v.Type(), unsafe.Pointer(reflect.ValueOf(&op).Elem().FieldByName("idRef").UnsafeAddr())).Elem()
		}
		v.Set(other)
	default:
		panic("the test cannot change a " + v.Kind().String())
	}
}

// TestKeyOfEachField: a key depends on each field of a history, unless no outcome does.
func TestKeyOfEachField(t *testing.T) {
	const text = `{"leadline":1,"history":"a","model":"register","args":[0],"order":"stamp"}
{"process":0,"op":1,"type":"invoke","method":"write","args":[1],"at":1}
{"process":1,"op":2,"type":"invoke","method":"read","at":2}
{"process":0,"op":1,"type":"ok","at":3}
{"process":1,"op":2,"type":"ok","result":1,"at":4}
{"process":2,"op":3,"type":"invoke","method":"write","args":[2],"at":5}
{"process":1,"op":4,"type":"invoke","method":"read","at":6}
{"process":1,"op":4,"type":"waits","for":"x","at":7}
{"mark":"did-not-happen","op":3}
{"edge":[1,3]}
{"edge":[3,4]}
`
	for name, h := range map[string]*history.History{"real time": read(t, "file", text)[0].History, "program order": read(t, "file", text)[0].History.ProgramOrder()} {
		h.Stamps = []int64{1} // ProgramOrder leaves them out
		e := &Entry{History: h}
		base, changed := e.Key(), map[string]bool{}
		changeEach(reflect.ValueOf(h).Elem(), "History", func(field string) {
			covered, decided := inKey[field]
			changed[field] = true
			switch is := e.Key() != base; {
			case !decided:
				t.Errorf("%s: decide in inKey whether an outcome depends on it", field)
			case is && !covered:
				t.Errorf("%s, %s: the key depends on it, but no outcome does", name, field)
			case covered && !is:
				t.Errorf("%s, %s: the key does not depend on it", name, field)
			}
		})
		if e.Key() != base {
			t.Errorf("%s: the test has changed the history", name)
		}
		if name == "program order" && len(changed) != len(inKey) {
			t.Errorf("%d of %d fields were changed", len(changed), len(inKey))
		}
	}
}
