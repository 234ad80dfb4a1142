package extract

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"unicode"
)

// WriteSkeletons writes a test file for each function into a directory, which it
// makes. It returns the names of the files. It does not overwrite a file that exists, and
// returns an error for it.
func (r *Result) WriteSkeletons(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var written []string
	var errs []error
	used := map[string]bool{}
	for _, f := range r.Functions {
		name := f.testName(used)
		text, err := f.skeleton(dir, name)
		if err != nil {
			return written, fmt.Errorf("%v: %s: %w", f.Position, f.Name, err)
		}
		file := filepath.Join(dir, "composed_"+snake(name)+"_test.go")
		if err := writeNew(file, text); err != nil {
			errs = append(errs, err)
			continue
		}
		written = append(written, file)
	}
	return written, errors.Join(errs...)
}

func writeNew(file string, text []byte) error {
	w, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s exists already, and is left as it is", file)
	case err != nil:
		return err
	}
	_, err = w.Write(text)
	return errors.Join(err, w.Close())
}

// testName returns the name of a function's test without Test, and marks it as used.
func (f *Function) testName(used map[string]bool) string {
	var b strings.Builder
	upper := true
	for _, c := range f.scanner.Types.Name() + " " + f.Name {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			upper = true
			continue
		}
		if upper {
			c = unicode.ToUpper(c)
		}
		b.WriteRune(c)
		upper = false
	}
	name := b.String()
	for i := 2; used[name]; i++ {
		name = b.String() + strconv.Itoa(i)
	}
	used[name] = true
	return name
}

// snake returns a name in lower case, with _ between its words.
func snake(name string) string {
	var b strings.Builder
	lower := false
	for _, c := range name {
		if unicode.IsUpper(c) && lower {
			b.WriteByte('_')
		}
		lower = !unicode.IsUpper(c)
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// A testFile is what the template of a test has to know about a function.
type testFile struct {
	*Function
	Clause  string // the name of the test's package
	Test    string // the name of the test, without Test
	Imports []string
	Kind    string // Map, Set or Queue

	// A copy of the function:
	Method  string // as a function literal
	Call    string // of method
	HasArgs bool
	Results []string // names for the results, if there are several
	Options []string // the fields of composed.Options
	Adapter string   // declarations, or ""
	// TypeParams are names for int.
	TypeParams []string
	Parts      []string // the functions that it calls, as function literals

	parameter, typ string // the collection
	used           map[types.Object]bool
	parts, open    []*part // the copied functions, and those whose copy is not complete

	// A function that is not copied:
	Reason string
	Lines  []string
}

const composedPath = "github.com/leadline/leadline/replay/composed"

var testTemplate = template.Must(template.New("test").Funcs(template.FuncMap{"base": filepath.Base, "join": strings.Join}).Parse(`package {{.Clause}}

import (
	"testing"
	{{range .Imports}}{{.}}
	{{end}}
	"` + composedPath + `"
)

// Test{{.Test}} tests {{.Name}} of {{.Package}}, at {{base .Position.Filename}}:{{.Position.Line}}.
// The collection is {{.Collection}}, of type {{.Type}}:
//
{{range .Operations}}//	{{base .Position.Filename}}:{{.Position.Line}}: {{.Method}}{{with .Via}}, in {{.}}{{end}}
{{end -}}
func Test{{.Test}}(t *testing.T) {
	{{- if .Reason}}
	t.Fatal("TODO: write the function, and remove this line")
	composed.Test(t, func(m composed.{{.Kind}}) any {
		// TODO: write what {{.Name}} does to {{.Collection}} as operations of m, and return its results.
		// It is not copied: {{.Reason}}.
		//
		{{- range .Lines}}
		//	{{.}}
		{{- end}}
		return nil
	}, composed.Options{})
	{{- else}}
	{{- range .TypeParams}}
	type {{.}} = int
	{{- end}}
	{{- range .Parts}}
	{{.}}
	{{- end}}
	method := {{.Method}}
	{{- if .HasArgs}}
	// TODO: choose arguments, Keys and Values with which the operations run; a panic counts as a result.
	{{- end}}
	composed.Test(t, func(m composed.{{.Kind}}) any {
		{{- if .Results}}
		{{join .Results ", "}} := {{.Call}}
		return []any{ {{join .Results ", "}} }
		{{- else}}
		{{.Call}}
		{{- end}}
	}, composed.Options{ {{join .Options ", "}} })
	{{- end}}
}
{{.Adapter}}`))

func (t *testFile) source() ([]byte, error) {
	var b bytes.Buffer
	if err := testTemplate.Execute(&b, t); err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

// skeleton returns the test of a function. It has a copy of the function if the copy
// compiles, and a TODO otherwise.
func (f *Function) skeleton(dir, name string) ([]byte, error) {
	inside := sameDirectory(dir, f.scanner.Package.Dir)
	t := &testFile{Function: f, Clause: "composed_test", Test: name, Kind: "Map"}
	if typ := f.ops[0].typ; lookupLibrary(typ.Obj().Pkg().Path()) == nil {
		t.Kind = writtenKind(typ).name
	}
	if inside {
		t.Clause = f.scanner.Types.Name()
	}
	if err := f.read(f.unit); err != nil {
		return nil, err
	}
	copied := *t
	err := copied.adapt()
	if err == nil {
		var text []byte
		if text, err = copied.source(); err == nil {
			if err = f.compiles(text, inside); err == nil {
				return text, nil
			}
		}
	}
	t.Reason, _, _ = strings.Cut(err.Error(), "\n")
	first := f.unit.body.Pos()
	if f.unit.decl != nil {
		first = f.unit.decl.Pos()
	}
	for line := range strings.Lines(f.cut(first, f.unit.body.End(), nil)) {
		t.Lines = append(t.Lines, strings.TrimRight(line, "\r\n"))
	}
	return t.source()
}

func sameDirectory(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// An edit replaces a part of the source.
type edit struct {
	from, to token.Pos
	by       string
}

// read reads the source of a unit for cut.
func (f *Function) read(u *unit) error {
	file := f.scanner.fset.File(u.body.Pos())
	if f.scanner.content[file] != nil {
		return nil
	}
	content, err := os.ReadFile(file.Name())
	switch {
	case err != nil:
		return err
	case len(content) != file.Size():
		return fmt.Errorf("%s has changed", file.Name())
	}
	f.scanner.content[file] = content
	return nil
}

// cut returns a part of the source of a unit that was read, with edits, which are in order.
func (f *Function) cut(from, to token.Pos, edits []edit) string {
	var b strings.Builder
	file := f.scanner.fset.File(from)
	content := f.scanner.content[file]
	for _, e := range edits {
		b.Write(content[file.Offset(from):file.Offset(e.from)])
		b.WriteString(e.by)
		from = e.to
	}
	b.Write(content[file.Offset(from):file.Offset(to)])
	return b.String()
}
