package history

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Kind says what a Value holds.
type Kind uint8

// The kinds of a Value. None is the zero value.
const (
	None      Kind = iota // no value at all: what a void method returns
	Null                  // null, nil
	Bool                  // true, false
	Int                   // a 64-bit integer
	Float                 // a 64-bit floating point number
	String                // a string
	List                  // values in order
	Map                   // keys with values, sorted by key
	Exception             // the name of a thrown exception or returned error
	Unknown               // a result that was not observed: any value would do
)

var kindNames = [...]string{"none", "null", "bool", "int", "float", "string", "list", "map", "exception", "unknown"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// A Value is an argument, a result or an identifier. It is immutable and 16
// bytes wide: histories have millions. The zero Value is None.
//
// Two values are equal if they have the same kind and the same content, that is,
// if String prints them alike. The Int 1 and the Float 1.0 differ, and so do 0.0 and
// -0.0, as in Java. All NaNs are equal.
type Value struct {
	num int64 // of a Bool, Int or Float
	ref *rest // the kind, and the content of all other kinds; nil for None
}

// A rest holds a string, list or map. Values of the other kinds have only a
// kind, and share one rest per kind.
type rest struct {
	kind Kind
	text string
	list []Value
}

var plain = [...]rest{Null: {kind: Null}, Bool: {kind: Bool}, Int: {kind: Int}, Float: {kind: Float}, Unknown: {kind: Unknown}}

// NoValue is what a void method returns.
var NoValue = Value{}

// NullValue is null.
var NullValue = Value{ref: &plain[Null]}

// UnknownValue is a result that was not observed.
var UnknownValue = Value{ref: &plain[Unknown]}

// BoolValue returns b as a Value.
func BoolValue(b bool) Value {
	if b {
		return Value{1, &plain[Bool]}
	}
	return Value{0, &plain[Bool]}
}

// IntValue returns n as a Value.
func IntValue(n int64) Value { return Value{n, &plain[Int]} }

// FloatValue returns f as a Value.
func FloatValue(f float64) Value {
	if f != f {
		f = math.NaN()
	}
	return Value{int64(math.Float64bits(f)), &plain[Float]}
}

// StringValue returns s as a Value.
func StringValue(s string) Value { return Value{ref: &rest{kind: String, text: s}} }

// ExceptionValue returns the exception called name as a Value.
func ExceptionValue(name string) Value { return Value{ref: &rest{kind: Exception, text: name}} }

// ListValue returns the list of vs, which it keeps.
func ListValue(vs ...Value) Value { return Value{ref: &rest{kind: List, list: vs}} }

// MapValue returns the map of keys and values given as k0, v0, k1, v1, ... It keeps
// pairs and sorts them by key. It reports false if a key occurs twice or has no
// value.
func MapValue(pairs ...Value) (Value, bool) {
	if len(pairs)%2 != 0 || !sortPairs(pairs) {
		return Value{}, false
	}
	return Value{ref: &rest{kind: Map, list: pairs}}, true
}

// sortPairs sorts the keys and values of a map by key. It reports false if a key
// occurs twice.
func sortPairs(pairs []Value) bool {
	if len(pairs) > 32 {
		sort.Sort(byKey(pairs))
	}
	for i := 2; i < len(pairs); i += 2 {
		for k := i; k > 0 && pairs[k].Compare(pairs[k-2]) < 0; k -= 2 {
			byKey(pairs).Swap(k/2, k/2-1)
		}
	}
	for i := 2; i < len(pairs); i += 2 {
		if pairs[i].Equal(pairs[i-2]) {
			return false
		}
	}
	return true
}

type byKey []Value

func (p byKey) Len() int           { return len(p) / 2 }
func (p byKey) Less(i, j int) bool { return p[2*i].Compare(p[2*j]) < 0 }
func (p byKey) Swap(i, j int) {
	p[2*i], p[2*j] = p[2*j], p[2*i]
	p[2*i+1], p[2*j+1] = p[2*j+1], p[2*i+1]
}

// Kind returns the kind of v.
func (v Value) Kind() Kind {
	if v.ref == nil {
		return None
	}
	return v.ref.kind
}

// Int returns the number in an Int value, and 0 of any other kind.
func (v Value) Int() int64 {
	if v.Kind() != Int {
		return 0
	}
	return v.num
}

// Bool reports whether v is the Bool true.
func (v Value) Bool() bool { return v.Kind() == Bool && v.num != 0 }

// Float returns the number in a Float value, and 0 of any other kind.
func (v Value) Float() float64 {
	if v.Kind() != Float {
		return 0
	}
	return math.Float64frombits(uint64(v.num))
}

// Text returns the string of a String or the name of an Exception, "" otherwise.
func (v Value) Text() string {
	if v.Kind() != String && v.Kind() != Exception {
		return ""
	}
	return v.ref.text
}

// List returns the elements of a List, or the keys and values of a Map, each key
// before its value. The caller must not change them.
func (v Value) List() []Value {
	if v.Kind() != List && v.Kind() != Map {
		return nil
	}
	return v.ref.list
}

// HoldsUnknown reports whether v is Unknown or contains an Unknown at any depth.
func (v Value) HoldsUnknown() bool {
	return v.Kind() == Unknown || slices.ContainsFunc(v.List(), Value.HoldsUnknown)
}

// Equal reports whether v and w are the same value: same kind, same content.
// Only Unknown equals Unknown; accepting any result in its place is up to the
// replay.
func (v Value) Equal(w Value) bool {
	if v.num != w.num || v.Kind() != w.Kind() {
		return false
	}
	if v.ref == w.ref {
		return true
	}
	return v.ref.text == w.ref.text && slices.EqualFunc(v.ref.list, w.ref.list, Value.Equal)
}

// Compare orders values totally: by kind, then by content.
func (v Value) Compare(w Value) int {
	if v.ref == w.ref && v.ref != &plain[Float] {
		return cmp.Compare(v.num, w.num)
	}
	return v.compareUnlike(w)
}

// compareUnlike is Compare for values that do not share a ref, and for floats.
func (v Value) compareUnlike(w Value) int {
	switch {
	case v.Kind() != w.Kind():
		return int(v.Kind()) - int(w.Kind())
	case v.Kind() == Float:
		return cmp.Or(cmp.Compare(v.Float(), w.Float()), cmp.Compare(v.num, w.num)) // -0 before 0
	}
	if c := strings.Compare(v.ref.text, w.ref.text); c != 0 {
		return c
	}
	return slices.CompareFunc(v.ref.list, w.ref.list, Value.Compare)
}

// AppendKey appends an encoding of v to dst. Two values have the same
// encoding exactly if they are equal, and no encoding is a prefix of another,
// so that keys may be strung together.
func (v Value) AppendKey(dst []byte) []byte {
	dst = append(dst, byte(v.Kind()))
	switch v.Kind() {
	case Bool, Int, Float:
		dst = binary.AppendVarint(dst, v.num)
	case String, Exception:
		dst = binary.AppendUvarint(dst, uint64(len(v.ref.text)))
		dst = append(dst, v.ref.text...)
	case List, Map:
		dst = binary.AppendUvarint(dst, uint64(len(v.ref.list)))
		for _, e := range v.ref.list {
			dst = e.AppendKey(dst)
		}
	}
	return dst
}

// Hash mixes v into a hash: equal values change it alike.
func (v Value) Hash(h uint64) uint64 {
	h = mix(h ^ uint64(v.Kind())<<56 ^ uint64(v.num))
	if v.ref != nil && v.ref.text != "" {
		for i := range len(v.ref.text) {
			h = (h ^ uint64(v.ref.text[i])) * 0x100000001b3
		}
		h = mix(h)
	}
	if v.ref != nil {
		for _, e := range v.ref.list {
			h = e.Hash(h)
		}
	}
	return h
}

func mix(h uint64) uint64 {
	hi, lo := bits.Mul64(h^0x9e3779b97f4a7c15, 0xff51afd7ed558ccd)
	return hi ^ lo
}
