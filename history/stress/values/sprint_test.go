package values

import (
	"errors"
	"reflect"
	"testing"
	"time"
	"unsafe"
)

// TestUnprintable: fmt.Sprint writes values of some types alike in all executions, and Unprintable names the cause for others.
func TestUnprintable(t *testing.T) {
	type hidden struct{ _ int }
	type open struct {
		A []map[string][2]float64
		B struct{ C error }
	}
	type list []list
	for of, want := range map[reflect.Type]string{
		reflect.TypeFor[bool](): "", reflect.TypeFor[int8](): "", reflect.TypeFor[uintptr](): "", reflect.TypeFor[float32](): "", reflect.TypeFor[string](): "", reflect.TypeFor[error](): "",
		reflect.TypeFor[time.Duration](): "", reflect.TypeFor[[]byte](): "", reflect.TypeFor[open](): "", reflect.TypeFor[interface{ error }](): "",
		reflect.TypeFor[*int](): "a pointer", reflect.TypeFor[unsafe.Pointer](): "a pointer", reflect.TypeFor[[]*int](): "a pointer", reflect.TypeFor[map[*int]bool](): "a pointer", reflect.TypeFor[map[bool]func()](): "a function",
		reflect.TypeFor[struct{ C chan int }](): "a channel", reflect.TypeFor[any](): "an interface", reflect.TypeFor[[3]complex64](): "a complex number",
		reflect.TypeFor[hidden](): "an unexported field", reflect.TypeFor[time.Time](): "an unexported field", reflect.TypeFor[list](): "values of its own type",
	} {
		if got := Unprintable(of); got != want {
			t.Errorf("%v: %q, want %q", of, got, want)
		}
	}
}

func TestSprint(t *testing.T) {
	none, failure := error(nil), errors.New("e")
	list := []reflect.Value{reflect.ValueOf(1), reflect.ValueOf(true), reflect.ValueOf(&none).Elem(), reflect.ValueOf(&failure).Elem(), reflect.ValueOf("a"), reflect.ValueOf("b")}
	if got := Sprint(list).Text() + Sprint(nil).Text(); got != "1 true <nil> eab" {
		t.Errorf("%q", got)
	}
}
