package extract

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
	for _, c := range f.source.types.Name() + " " + f.Name {
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

// skeleton returns the test of a function. It has a copy of the function if the copy
// compiles, and a TODO otherwise.
func (f *Function) skeleton(dir, name string) ([]byte, error) {
	inside := sameDirectory(dir, f.source.dir)
	copied, err := f.adapt(name, inside)
	if err == nil {
		if err = f.compiles(copied, inside); err == nil {
			return copied, nil
		}
	}
	reason, _, _ := strings.Cut(err.Error(), "\n")
	return f.todo(name, inside, reason)
}

func sameDirectory(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

const composedPath = "github.com/leadline/leadline/replay/composed"

// head writes the beginning of a file, up to the function of the test.
func (f *Function) head(b *bytes.Buffer, name string, inside bool, imports []string) {
	pkg := "composed_test"
	if inside {
		pkg = f.source.types.Name()
	}
	fmt.Fprintf(b, "package %s\n\nimport (\n\t\"testing\"\n", pkg)
	for _, spec := range imports {
		fmt.Fprintf(b, "\t%s\n", spec)
	}
	fmt.Fprintf(b, "\n\t%q\n)\n\n", composedPath)
	fmt.Fprintf(b, "// Test%s tests %s of %s, at %s:%d.\n// The collection is %s, of type %s:\n//\n", name, f.Name, f.Package,
		filepath.Base(f.Position.Filename), f.Position.Line, f.Collection, f.Type)
	for _, o := range f.Operations {
		fmt.Fprintf(b, "//\t%s:%d: %s", filepath.Base(o.Position.Filename), o.Position.Line, o.Method)
		if o.Via != "" {
			fmt.Fprintf(b, ", in %s", o.Via)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "func Test%s(t *testing.T) {\n", name)
}

// todo returns a test that has the function as a comment.
func (f *Function) todo(name string, inside bool, reason string) ([]byte, error) {
	var b bytes.Buffer
	f.head(&b, name, inside, nil)
	fmt.Fprintf(&b, "\tt.Fatal(\"TODO: write the function, and remove this line\")\n"+
		"\tcomposed.Test(t, func(m composed.Map) any {\n"+
		"\t\t// TODO: write what %s does to %s as operations of m, and return its results.\n"+
		"\t\t// It is not copied: %s.\n\t\t//\n", f.Name, f.Collection, reason)
	text, err := f.text()
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		fmt.Fprintf(&b, "\t\t//\t%s\n", strings.TrimRight(line, "\r\n"))
	}
	b.WriteString("\t\treturn nil\n\t}, composed.Options{})\n}\n")
	return format.Source(b.Bytes())
}

// text returns the source of the function.
func (f *Function) text() (string, error) {
	first, last := f.unit.body.Pos(), f.unit.body.End()
	if f.unit.decl != nil {
		first = f.unit.decl.Pos()
	}
	return f.cut(first, last, nil)
}

// An edit replaces a part of the source.
type edit struct {
	from, to token.Pos
	by       string
}

// cut returns a part of the source with edits, which are in order.
func (f *Function) cut(from, to token.Pos, edits []edit) (string, error) {
	file := f.source.fset.File(from)
	content, err := os.ReadFile(file.Name())
	if err != nil {
		return "", err
	}
	if len(content) != file.Size() {
		return "", fmt.Errorf("%s has changed", file.Name())
	}
	var b strings.Builder
	for _, e := range edits {
		b.Write(content[file.Offset(from):file.Offset(e.from)])
		b.WriteString(e.by)
		from = e.to
	}
	b.Write(content[file.Offset(from):file.Offset(to)])
	return b.String(), nil
}
