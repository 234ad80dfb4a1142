package table

import "testing"

func TestSignatureMistakes(t *testing.T) {
	for _, text := range []string{"size", "size(", "size() -> integer", "add(e: number)"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Parse accepts %q", text)
				}
			}()
			parseSignature(text)
		}()
	}
	defer func() {
		if recover() == nil {
			t.Error("a table accepts a duplicate method")
		}
	}()
	New([]Method[int]{{"lock()", nil, Updates}, {"acquire|lock()", nil, Updates}}).Read()
}
