package stress

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/values"
)

// TestCategories: the examples of the paper's figure 5, and some of Go.
func TestCategories(t *testing.T) {
	list, element := history.ListValue(history.IntValue(1)), history.IntValue(1)
	for _, test := range []struct {
		name     string
		readOnly bool
		params   []Param
		result   history.Value
		want     string
	}{
		{"toArray", true, nil, list, "R-1"}, {"size", true, nil, element, "R-1"}, {"Len", true, nil, element, "R-1"}, {"Values", true, nil, list, "R-1"},
		{"isEmpty", true, nil, history.BoolValue(true), "R-2"},
		{"containsAll", true, []Param{values.List}, history.BoolValue(true), "R-3"}, {"peek", true, nil, history.NullValue, "R-3"}, {"Load", true, nil, element, "R-3"},
		{"removeAll", false, []Param{values.List}, history.BoolValue(true), "M-1"}, {"putAll", false, []Param{values.Map}, history.NoValue, "M-1"},
		{"clear", false, nil, history.NoValue, "M-2"}, {"Reset", false, nil, element, "M-2"},
		{"offer", false, []Param{values.Int}, history.BoolValue(true), "M-3"}, {"poll", false, nil, history.NullValue, "M-3"}, {"Inc", false, nil, element, "M-3"},
		{"Add", false, []Param{values.Struct(values.Int)}, element, "M-3"}, {"Add", false, []Param{values.Texts}, element, "M-1"},
	} {
		if got := categoryOf(&Method{Name: test.name, ReadOnly: test.readOnly, Params: test.params}, test.result); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	f := &Finding{Methods: []string{"clear", "put"}, Categories: []string{"M-2", "M-3"}}
	if got, want := f.Kinds(), "clear is a reset, put is a local mutation"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
