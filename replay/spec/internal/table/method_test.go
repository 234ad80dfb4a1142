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
	for what, rows := range map[string][]Method[int]{
		"a duplicate method":                 {{"lock()", nil, Updates}, {"acquire|lock()", nil, Updates}},
		"false for failed among any values":  {{"pop() -> any", nil, FailsFalse}},
		"null for nothing among any values":  {{"pop() -> any", nil, FailsNull}},
		"null for nothing of a bool":         {{"pop() -> bool", nil, FailsNull}},
		"a key without an argument":          {{"pop() -> any", nil, Keyed}},
		"an inserted value without argument": {{"push()", nil, Inserts}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a table accepts %s", what)
				}
			}()
			New(rows).Read()
		}()
	}
}
