package values

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
)

// TestSource: the Go source of arguments compiles, and has the values that Maker.Go makes.
func TestSource(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the Go tool")
	}
	imports := []string{"fmt"}
	var body, want strings.Builder
	for _, of := range []reflect.Type{
		reflect.TypeFor[int8](), reflect.TypeFor[uint](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[bool](),
		reflect.TypeFor[any](), reflect.TypeFor[time.Duration](), reflect.TypeFor[time.Time](), reflect.TypeFor[[]any](), reflect.TypeFor[map[string][]int](),
		reflect.TypeFor[struct{ A, B int }](), reflect.TypeFor[[3]bool](), reflect.TypeFor[error](), reflect.TypeFor[*bytes.Buffer](), reflect.TypeFor[fmt.Stringer](),
		reflect.TypeFor[context.Context](), reflect.TypeFor[io.Reader](), reflect.TypeFor[io.ReadCloser](), reflect.TypeFor[io.Writer](), reflect.TypeFor[*string](), reflect.TypeFor[chan<- func()](),
		reflect.TypeFor[<-chan int](), reflect.TypeFor[iter.Seq[string]](), reflect.TypeFor[iter.Seq2[int, string]](),
		reflect.TypeFor[func(int) int](), reflect.TypeFor[func(a, b string) int](), reflect.TypeFor[func(a, b any) time.Duration](), reflect.TypeFor[func(a, b any) int](),
		reflect.TypeFor[func(a, b struct{ A, B int }) bool](), reflect.TypeFor[func(uint8) bool](), reflect.TypeFor[func(uint8) uint32](), reflect.TypeFor[func(any) uintptr](), reflect.TypeFor[func(a, b *int) bool](),
		reflect.TypeFor[func(any, bool) (any, bool, error)](), reflect.TypeFor[func() (time.Time, []string, error)](), reflect.TypeFor[func(string, ...int)](), reflect.TypeFor[func(...int) int](),
	} {
		k := Of(of, Object{})
		for _, v := range slices.Concat(k.All(2), k.Iterates().All(2)) {
			text, ok := k.Source(v)
			if w, _ := k.Iterates().Source(v); w != "" {
				text = w
			}
			_, name := TypeSource(of)
			if !ok {
				t.Errorf("%v: no source of %v", of, v)
			}
			if name == of.String() && of.PkgPath() != "" || of.Kind() == reflect.Interface && of.NumMethod() > 0 {
				name = from(of.PkgPath(), of.Name())
			}
			if of == errorType {
				name = "error"
			}
			parts := strings.Split("{ var v "+name+" = "+text+"; "+printed(of)+" }", Mark)
			for i := 1; i < len(parts); i += 2 {
				if !slices.Contains(imports, parts[i]) {
					imports = append(imports, parts[i])
				}
				parts[i] = path.Base(parts[i])
			}
			body.WriteString(strings.Join(parts, "") + "\n")
			want.WriteString(called(k.Iterates(), v) + "\n")
		}
	}
	dir := t.TempDir()
	program := "package main\n\nimport (\n\t\"" + strings.Join(imports, "\"\n\t\"") + "\"\n)\n\nfunc main() {\n" + body.String() + "}\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", filepath.Join(dir, "main.go"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s\n%s", err, out, program)
	}
	lines := strings.Split(body.String(), "\n")
	got, expected := strings.Split(string(out), "\n"), strings.Split(want.String(), "\n")
	for i, line := range expected {
		if i >= len(got) || got[i] != line {
			t.Fatalf("%s prints %q, want %q", lines[i], slices.Concat(got, []string{"nothing"})[min(i, len(got))], line)
		}
	}
}

// printed returns a statement that prints v, of a type, or the results of calls of it.
func printed(of reflect.Type) string {
	switch {
	case of.Kind() != reflect.Func && plain(of) || of.Kind() == reflect.Slice || of.Kind() == reflect.Map:
		return "fmt.Println(v)"
	case of.Kind() != reflect.Func || iterator(of) != nil || of.NumOut() == 0:
		return "_ = v; fmt.Println()"
	}
	var args []string
	for in := range of.Ins() {
		_, name := TypeSource(in)
		if of.IsVariadic() {
			break
		}
		args = append(args, "*new("+name+")")
	}
	call := "v(" + strings.Join(args, ", ") + ")"
	if of.NumOut() > 1 {
		return "fmt.Println(func() []any { a, b, c := " + call + "; return []any{a, b, c} }())"
	}
	return "fmt.Println([]any{" + call + ", " + call + "})"
}

// called is what printed prints.
func called(k *Kind, v history.Value) string {
	value := new(Maker).Go(k, v)
	if text := printed(k.of); text == "fmt.Println(v)" {
		return fmt.Sprint(value)
	} else if strings.HasSuffix(text, "fmt.Println()") {
		return ""
	}
	var args []reflect.Value
	for in := range k.of.Ins() {
		if !k.of.IsVariadic() {
			args = append(args, reflect.Zero(in))
		}
	}
	var all []any
	for _, out := range value.Call(args) {
		all = append(all, out.Interface())
	}
	if len(all) == 1 {
		all = append(all, value.Call(args)[0].Interface())
	}
	return fmt.Sprint(all)
}
