package values

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

var (
	errorType    = reflect.TypeFor[error]()
	contextType  = reflect.TypeFor[context.Context]()
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	writerType   = reflect.TypeFor[*writer]()
)

// An Object is the object whose methods are called.
type Object struct {
	Type reflect.Type // that has the methods
	// Makers are functions that make other objects, for parameters of their types.
	Makers []any
}

// maxMakers bounds the makers that a kind has.
const maxMakers = 4

// made returns the kind whose words are the makers of a type, or nil. They get the argument 1 for
// each of their parameters: only numbers, strings and booleans.
func (o Object) made(k *Kind) *Kind {
	of := *k
	for _, f := range o.Makers {
		v := reflect.ValueOf(f)
		t := v.Type()
		if t.NumOut() != 1 || !t.Out(0).AssignableTo(k.of) || len(of.plain) == maxMakers {
			continue
		}
		path, name := makerName(v)
		simple, source := !t.IsVariadic(), make([]string, t.NumIn())
		var args []reflect.Value
		for i := range t.NumIn() {
			p, written := Of(t.In(i), Object{}), false
			if simple = simple && p != nil && p.form <= boolean && p.Shared(); simple {
				args = append(args, new(Maker).Go(p, p.Some(1)))
				if source[i], written = p.Source(p.Some(1)); !written {
					path = ""
				}
			}
		}
		if simple && !slices.Contains(of.plain, name) {
			of.plain = append(of.plain, name)
			of.makers = append(of.makers, func() reflect.Value { return v.Call(args)[0] })
			text := ""
			if path != "" {
				text = from(path, name+"("+strings.Join(source, ", ")+")")
			}
			of.sources = append(of.sources, text)
		}
	}
	if len(of.makers) == 0 {
		return nil
	}
	return &of
}

// makerName returns the import path and the name of a function. The path is "" if the function is not
// exported, or generic.
func makerName(f reflect.Value) (path, name string) {
	full, _, generic := strings.Cut(runtime.FuncForPC(f.Pointer()).Name(), "[")
	dot := strings.LastIndexByte(full, '.')
	path, name = full[:dot], full[dot+1:]
	if first, _ := utf8.DecodeRuneInString(name); generic || !unicode.IsUpper(first) || strings.Contains(path, "%") {
		path = ""
	}
	return path, name
}

// texts make values of texts. A parameter of an interface gets the first that implements it.
var texts = []struct {
	convert func(string) any
	source  string // with the import path between marks
}{
	{func(s string) any { return errors.New(s) }, Mark + "errors" + Mark + ".New(%q)"},
	{func(s string) any { return strings.NewReader(s) }, Mark + "strings" + Mark + ".NewReader(%q)"},
	{func(s string) any { return bytes.NewBufferString(s) }, Mark + "bytes" + Mark + ".NewBufferString(%q)"},
	{func(s string) any { return bytes.NewReader([]byte(s)) }, Mark + "bytes" + Mark + ".NewReader([]byte(%q))"},
	{func(s string) any { return io.NopCloser(strings.NewReader(s)) }, Mark + "io" + Mark + ".NopCloser(" + Mark + "strings" + Mark + ".NewReader(%q))"},
}

// maxNesting bounds the nesting of arguments.
const maxNesting = 4

// Of returns the kind of a parameter of type t of a method of an object, or nil if there
// is none. Fields of structs that have no kind keep the zero value.
func Of(t reflect.Type, o Object) *Kind { return o.kind(t, 0) }

func (o Object) kind(t reflect.Type, depth int) *Kind {
	k := &Kind{of: t, form: word}
	switch {
	case depth > maxNesting:
		return nil
	case t == contextType:
		k.plain, k.odd = []string{"ctx"}, []string{"canceled"}
		return k
	case t == timeType:
		k.form = instant
		return k
	case t == durationType:
		k.form = duration
		return k
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		k.form, k.convert = text, func(s string) any { return []byte(s) }
		return k
	}
	switch t.Kind() {
	case reflect.Bool:
		k.form = boolean
	case reflect.String:
		k.form = text
	case reflect.Func:
		return o.function(k, depth)
	case reflect.Interface:
		return o.inInterface(k, depth)
	case reflect.Chan:
		if k.plain = []string{"chan"}; t.ChanDir() == reflect.RecvDir {
			return o.collection(k, list, depth, t.Elem())
		}
	case reflect.Slice:
		return o.collection(k, list, depth, t.Elem())
	case reflect.Array:
		return o.collection(k, wrapped, depth, t.Elem())
	case reflect.Map:
		return o.collection(k, mapping, depth, t.Key(), t.Elem())
	case reflect.Pointer:
		if t == o.Type {
			k.plain, k.odd = []string{"new"}, []string{"self"}
			return k
		}
		for _, e := range texts[1:] {
			if t == reflect.TypeOf(e.convert("")) {
				k.form, k.convert, k.source = text, e.convert, e.source
				return k
			}
		}
		if made := o.made(k); made != nil {
			return made
		}
		return o.collection(k, wrapped, depth, t.Elem())
	case reflect.Struct:
		k.form = structure
		for i := range t.NumField() {
			f := t.Field(i)
			if e := o.kind(f.Type, depth+1); f.IsExported() && e != nil && f.Type.Kind() != reflect.Func {
				k.elems, k.fields = append(k.elems, e), append(k.fields, i)
			}
		}
	case reflect.UnsafePointer:
		return nil
	default: // the numbers
		k.form = number
	}
	return k
}

// collection sets the elements of a kind.
func (o Object) collection(k *Kind, f form, depth int, elems ...reflect.Type) *Kind {
	k.form = f
	for _, t := range elems {
		e := o.kind(t, depth+1)
		if e == nil {
			return nil
		}
		k.elems = append(k.elems, e)
	}
	return k
}

// inInterface chooses what an interface holds: a text, the object, or a value of a type that
// the object's type mentions.
func (o Object) inInterface(k *Kind, depth int) *Kind {
	t := k.of
	if t.NumMethod() == 0 {
		if k.form = dynamic; depth > 0 {
			k.form = number // as numbers are equal more often
		}
		return k
	}
	if writerType.Implements(t) {
		k.plain = []string{"w"}
		return k
	}
	for _, e := range texts {
		if made := reflect.TypeOf(e.convert("")); made.Implements(t) {
			k.form, k.convert, k.source = text, e.convert, e.source
			return k
		}
	}
	if o.Type != nil && o.Type.Implements(t) {
		k.plain, k.odd = []string{"new"}, []string{"self"}
		return k
	}
	if made := o.made(k); made != nil {
		return made
	}
	for _, made := range mentioned(o.Type) {
		if made.Implements(t) {
			if e := o.kind(made, depth+1); e != nil {
				k.form, k.elems = wrapped, []*Kind{e}
				return k
			}
		}
	}
	return nil
}

// maxMentioned bounds the types that mentioned returns.
const maxMentioned = 200

// mentioned returns the exported types of the package of t, and pointers to these, that
// fields and signatures of t mention, directly or not.
func mentioned(t reflect.Type) []reflect.Type {
	if t == nil {
		return nil
	}
	seen, list := []reflect.Type{t}, []reflect.Type(nil)
	home := t
	if t.Kind() == reflect.Pointer {
		home = t.Elem()
	}
	see := func(t reflect.Type) {
		if len(seen) < maxMentioned && !slices.Contains(seen, t) {
			seen = append(seen, t)
		}
	}
	for n := 0; n < len(seen); n++ {
		t := seen[n]
		first, _ := utf8.DecodeRuneInString(t.Name())
		if t.PkgPath() == home.PkgPath() && unicode.IsUpper(first) && t.Kind() != reflect.Interface {
			list = append(list, t, reflect.PointerTo(t))
			see(reflect.PointerTo(t))
		}
		switch t.Kind() {
		case reflect.Struct:
			for f := range t.Fields() {
				see(f.Type)
			}
		case reflect.Func:
			for in := range t.Ins() {
				see(in)
			}
			for out := range t.Outs() {
				see(out)
			}
		case reflect.Map:
			see(t.Key())
			see(t.Elem())
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
			see(t.Elem())
		}
		if t.PkgPath() == home.PkgPath() || t.Kind() == reflect.Pointer && t.Elem().PkgPath() == home.PkgPath() {
			for m := range t.Methods() {
				see(m.Type)
			}
		}
	}
	return list
}

// A Maker makes the Go values of arguments for one call of a method. The zero value is enough
// if no parameter is of the type of the object.
type Maker struct {
	Self reflect.Value        // the object
	New  func() reflect.Value // returns another one
	record
}

// Shared reports whether all calls may share the Go value of an argument.
func (k *Kind) Shared() bool {
	switch k.form {
	case number, boolean, duration, instant:
		return k.of.Kind() != reflect.Interface
	case text:
		return k.convert == nil
	case structure:
		return !slices.ContainsFunc(k.elems, func(e *Kind) bool { return !e.Shared() })
	}
	return k.of == contextType
}

// Go returns the Go value of an argument. null is the zero value.
func (m *Maker) Go(k *Kind, v history.Value) reflect.Value {
	made := reflect.New(k.of).Elem()
	if v.Kind() != history.Null {
		m.set(made, k, v)
	}
	return made
}

func (m *Maker) set(to reflect.Value, k *Kind, v history.Value) {
	switch k.form {
	case number, boolean, dynamic, duration:
		setScalar(to, v)
	case text:
		if k.convert != nil {
			to.Set(reflect.ValueOf(k.convert(v.Text())).Convert(to.Type()))
		} else {
			setScalar(to, v)
		}
	case instant:
		to.Set(reflect.ValueOf(time.Unix(v.Int(), 0).UTC()))
	case structure:
		for i, e := range v.List() {
			to.Field(k.fields[i]).Set(m.Go(k.elems[i], e))
		}
	case list, mapping:
		m.setCollection(to, k, v.List())
	case wrapped:
		m.wrap(to, k, v)
	case word:
		m.setWord(to, k, v.Text())
	}
}

func (m *Maker) wrap(to reflect.Value, k *Kind, v history.Value) {
	switch to.Kind() {
	case reflect.Pointer:
		p := reflect.New(to.Type().Elem())
		p.Elem().Set(m.Go(k.elems[0], v))
		to.Set(p)
	case reflect.Array:
		for i := range to.Len() {
			to.Index(i).Set(m.Go(k.elems[0], v))
		}
	default:
		to.Set(m.Go(k.elems[0], v))
	}
}

// setScalar sets a boolean, a number, a string, or one of them in an interface; see Box.
func setScalar(to reflect.Value, v history.Value) {
	switch {
	case to.Kind() == reflect.Interface:
		to.Set(reflect.ValueOf(Box(v)))
	case v.Kind() == history.String:
		to.SetString(v.Text())
	case v.Kind() == history.Bool:
		to.SetBool(v.Bool())
	case to.CanComplex():
		to.SetComplex(complex(float64(v.Int()), 0))
	default:
		to.Set(reflect.ValueOf(v.Int()).Convert(to.Type()))
	}
}

// Box returns what an argument of kind Any stands for, in an interface of its own: an object may
// compare the pointers of two interfaces, and Go shares those of small numbers.
func Box(v history.Value) any {
	if v.Kind() == history.String {
		return v.Text()
	}
	n := int(v.Int())
	return reflect.ValueOf(&n).Elem().Interface()
}

func (m *Maker) setCollection(to reflect.Value, k *Kind, all []history.Value) {
	element := func(i int) reflect.Value { return m.Go(k.elems[i%len(k.elems)], all[i]) }
	switch to.Kind() {
	case reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), len(all), len(all)))
		for i := range all {
			to.Index(i).Set(element(i))
		}
	case reflect.Map:
		to.Set(reflect.MakeMap(to.Type()))
		for i := 0; i < len(all); i += 2 {
			to.SetMapIndex(element(i), element(i+1))
		}
	case reflect.Chan:
		c := reflect.MakeChan(reflect.ChanOf(reflect.BothDir, to.Type().Elem()), len(all))
		for i := range all {
			c.Send(element(i))
		}
		c.Close()
		to.Set(c.Convert(to.Type()))
	case reflect.Func: // an iterator
		step := len(k.elems)
		to.Set(reflect.MakeFunc(to.Type(), func(args []reflect.Value) []reflect.Value {
			for i := 0; i < len(all); i += step {
				yielded := []reflect.Value{element(i)}
				if step == 2 {
					yielded = append(yielded, element(i+1))
				}
				if !args[0].Call(yielded)[0].Bool() {
					break
				}
			}
			return nil
		}))
	}
}

// canceled is a context that is canceled.
var canceled = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// chanSize is the size of a channel that an object sends to.
const chanSize = 16

func (m *Maker) setWord(to reflect.Value, k *Kind, w string) {
	if i := slices.Index(k.plain, w); i >= 0 && k.makers != nil {
		to.Set(k.makers[i]())
		return
	}
	switch w {
	case "ctx":
		to.Set(reflect.ValueOf(context.Background()))
	case "canceled":
		to.Set(reflect.ValueOf(canceled))
	case "w":
		to.Set(reflect.ValueOf(&writer{&m.record}))
	case "chan":
		to.Set(reflect.MakeChan(reflect.ChanOf(reflect.BothDir, to.Type().Elem()), chanSize).Convert(to.Type()))
	case "new":
		to.Set(m.New())
	case "self":
		to.Set(m.Self)
	default:
		to.Set(m.function(to.Type(), k, w))
	}
}

// Missing says what a class lacks whose method has a parameter of type t, of which there is
// no Kind.
func Missing(t reflect.Type, method string) string {
	return fmt.Sprintf("parameter of type %v: embed the type, with a method %s of other parameters", t, method)
}
