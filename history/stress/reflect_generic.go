package stress

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
)

// unreachable returns the exported methods of an object that reflection on t, its type, does
// not find: generic methods and, if t is an interface, methods that are not part of it.
func unreachable(t reflect.Type, object any, dir string) []Omission {
	var list []Omission
	dynamic := reflect.TypeOf(object)
	if t.Kind() == reflect.Interface {
		for m := range dynamic.Methods() {
			if _, ok := t.MethodByName(m.Name); !ok {
				list = append(list, Omission{What: m.Name, Why: fmt.Sprintf("not a method of %v: have the constructor return %v", t, dynamic)})
			}
		}
	}
	for _, name := range GenericMethods(dynamic, dir) {
		list = append(list, Omission{What: name, Why: fmt.Sprintf("a generic method: embed the type, with a method %s that is not", name)})
	}
	return list
}

// GenericMethods returns the exported generic methods of a type and its embedded fields.
// A program has them only as source, so the result is empty where the Go tool, run in dir,
// does not find the package.
func GenericMethods(t reflect.Type, dir string) []string {
	if !slices.Contains(build.Default.ReleaseTags, "go1.27") {
		return nil
	}
	embedded := []reflect.Type{elem(t)}
	paths := []string{}
	for i := 0; i < len(embedded); i++ {
		e := embedded[i]
		if path := strings.TrimSuffix(e.PkgPath(), "_test"); path != "" {
			paths = append(paths, path)
		}
		for n := 0; e.Kind() == reflect.Struct && n < e.NumField(); n++ {
			if f := e.Field(n); f.Anonymous && !slices.Contains(embedded, elem(f.Type)) {
				embedded = append(embedded, elem(f.Type))
			}
		}
	}
	declared := declaredGeneric(paths, dir)
	var names []string
	for _, e := range embedded {
		name, _, _ := strings.Cut(e.Name(), "[")
		for _, m := range declared[e.PkgPath()+"."+name] {
			_, hidden := t.MethodByName(m)
			if e := embedded[0]; e.Kind() == reflect.Struct && !hidden {
				_, hidden = e.FieldByName(m)
			}
			if !hidden && !slices.Contains(names, m) {
				names = append(names, m)
			}
		}
	}
	return names
}

// elem returns what t points to, or t itself.
func elem(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// declaredGeneric returns the exported generic methods that packages declare, by type.
func declaredGeneric(paths []string, dir string) map[string][]string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	args := []string{"list", "-e", "-find", "-json=ImportPath,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles", "--"}
	cmd := exec.CommandContext(ctx, "go", append(args, paths...)...)
	cmd.Dir = dir
	out, _ := cmd.Output()
	declared := map[string][]string{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir                              string
			GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
		}
		if decoder.Decode(&p) != nil {
			return declared
		}
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles) {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				continue
			}
			for _, d := range f.Decls {
				if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil && m.Type.TypeParams != nil && m.Name.IsExported() {
					receiver, _, _ := strings.Cut(strings.Trim(types.ExprString(m.Recv.List[0].Type), "(*)"), "[")
					if slices.Contains(p.XTestGoFiles, name) {
						receiver = "_test." + receiver
					} else {
						receiver = "." + receiver
					}
					declared[p.ImportPath+receiver] = append(declared[p.ImportPath+receiver], m.Name.Name)
				}
			}
		}
	}
}
