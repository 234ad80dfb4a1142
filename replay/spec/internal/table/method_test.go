package table

import (
	"fmt"
	"strings"
	"testing"
)

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

// TestNames finds each name in tables of 254 and 255 names. A table of 256 panics.
func TestNames(t *testing.T) {
	for n := 254; n <= 256; n++ {
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprint("m", i)
		}
		table := New([]Method[int]{{strings.Join(names, "|") + "()", nil, Updates}})
		func() {
			defer func() {
				if tooMany := recover() != nil; tooMany != (n == 256) {
					t.Errorf("%d names: a panic: %t", n, tooMany)
				}
			}()
			table.Read()
			for _, name := range names {
				if table.find(name, 0) != 0 || table.find(name, 1) != -1 {
					t.Errorf("%d names: %s is not found", n, name)
				}
			}
			if n < 256 && (table.find("", 0) != -1 || table.find("n", 0) != -1) {
				t.Errorf("%d names: another name is found", n)
			}
		}()
	}
}
