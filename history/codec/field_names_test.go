package codec

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestFieldNames: the names of fields that Template lists are expressions for these fields,
// also inside of objects.
func TestFieldNames(t *testing.T) {
	for _, name := range append([]string{"x", "é", "a b", "@t", "7", "a-b", `q"`, "type", "len", "ns", "stamp", "keys", "exact t", "null"}, languageWords...) {
		if name == "$line" || name == "$env" {
			continue // which hide such fields
		}
		key, _ := json.Marshal(name)
		for _, in := range []string{"{" + string(key) + ":7}", `{"o":{` + string(key) + ":7}}"} {
			text, err := Template(strings.NewReader(in), "in", Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, line, _ := strings.Cut(text, "\n#   ")
			field, _, _ := strings.Cut(line, "  ")
			for h, err := range Decode(strings.NewReader(in), "in", Options{Map: `op=1,type="invoke",f="f",args=` + field}) {
				if err != nil || len(h.Ops[0].Args) != 1 || h.Ops[0].Args[0].Int() != 7 {
					t.Errorf("%s: args=%s: %v", in, field, err)
				}
			}
		}
	}
}
