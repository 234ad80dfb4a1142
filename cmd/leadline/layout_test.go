package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/leadline/leadline/"
)

// imports is the table of what each package may import of the module, and of
// other modules: a package, or all of a module with /... after it. Tests may import more.
var imports = map[string][]string{
	"poset":                          {},
	"hitting":                        {"poset", "hitting/meter", "hitting/table"},
	"hitting/meter":                  {},
	"hitting/table":                  {},
	"hitting/depth":                  {"poset", "hitting", "hitting/meter", "hitting/table"},
	"hitting/visibility":             {"poset", "hitting/meter", "hitting/table"},
	"history":                        {},
	"history/files":                  {"history", "github.com/klauspost/compress/..."},
	"history/codec":                  {"history", "history/files", "history/codec/scan", "history/codec/decode", "history/codec/native", "history/codec/jepsen", "history/codec/lines", "history/codec/violat", "history/codec/etcd", "history/codec/records"},
	"history/codec/scan":             {"history"},
	"history/codec/decode":           {"history", "history/files", "history/codec/scan"},
	"history/codec/native":           {"history", "history/codec/decode", "history/codec/scan"},
	"history/codec/jepsen":           {"history", "history/codec/decode", "history/codec/scan"},
	"history/codec/lines":            {"history", "history/codec/decode", "history/codec/scan"},
	"history/codec/violat":           {"history", "history/codec/decode", "history/codec/scan"},
	"history/codec/etcd":             {"history", "history/codec/decode", "history/codec/scan"},
	"history/codec/records":          {"history", "history/codec/decode", "history/codec/scan", "github.com/expr-lang/expr", "github.com/expr-lang/expr/ast", "github.com/expr-lang/expr/vm"},
	"history/record":                 {"history", "history/codec", "history/files"},
	"history/stress":                 {"history", "history/codec", "history/record", "history/stress/gotest", "history/stress/values", "history/explore", "history/explore/worker", "history/explore/schedule", "hitting/visibility", "poset"},
	"history/explore":                {"history/explore/schedule"},
	"history/stress/explore":         {"history", "history/stress", "history/explore", "history/explore/schedule"},
	"history/stress/values":          {"history", "history/explore/schedule"},
	"history/stress/gotest":          {"history", "history/stress/values", "history/explore/worker"},
	"history/explore/worker":         {},
	"history/explore/schedule":       {},
	"history/explore/shim":           {},
	"history/explore/shim/sync":      {"history/explore/schedule"},
	"history/explore/shim/atomic":    {"history/explore/schedule"},
	"history/explore/shim/maps":      {"history/explore/schedule"},
	"history/explore/shim/maphash":   {},
	"history/explore/shim/rand":      {"history/explore/schedule"},
	"history/explore/shim/randv2":    {"history/explore/schedule"},
	"history/explore/shim/time":      {"history/explore/schedule"},
	"history/explore/shim/runtime":   {"history/explore/schedule"},
	"history/explore/shim/context":   {"history/explore/schedule", "history/explore/shim/atomic", "history/explore/shim/sync", "history/explore/shim/time"},
	"history/explore/shim/io":        {"history/explore/shim/sync"},
	"history/explore/shim/net":       {"history/explore/shim/io", "history/explore/shim/time"},
	"history/explore/shim/testing":   {"history/explore/schedule", "history/explore/shim/context"},
	"history/explore/shim/synctest":  {"history/explore/schedule", "history/explore/shim/testing", "history/explore/shim/time"},
	"history/explore/tests":          {"history/explore", "history/explore/schedule", "history/explore/instrument", "history/explore/instrument/golist", "history/explore/worker", "history/explore/tests/inside"},
	"history/explore/tests/inside":   {"history/explore", "history/explore/schedule", "history/explore/shim/testing", "history/explore/worker"},
	"replay/proof":                   {},
	"replay/simulate":                {"history", "replay", "replay/spec"},
	"history/stress/subject":         {"history", "history/stress"},
	"replay":                         {"history", "poset", "hitting", "hitting/meter"},
	"replay/spec":                    {"history", "replay", "replay/spec/java", "replay/spec/internal/container", "replay/spec/internal/table"},
	"replay/spec/internal/container": {},
	"replay/spec/internal/table":     {"history", "replay", "replay/spec/internal/container"},
	"replay/spec/java":               {"history", "replay", "replay/spec/internal/container", "replay/spec/internal/table"},
	"replay/internal/trial":          {"history", "replay"},
	"replay/spec/spectest":           {"replay", "replay/internal/trial"},
	"replay/ops":                     {"history", "hitting/meter", "poset", "replay"},
	"replay/state":                   {"history", "hitting/meter", "hitting/table", "replay", "replay/ops"},
	"replay/search":                  {"history", "hitting/meter", "hitting/table", "replay", "replay/ops", "replay/state"},
	"replay/window":                  {"history", "hitting/meter", "hitting/table", "replay", "replay/ops", "replay/state"},
	"replay/order":                   {"history", "hitting/meter", "replay", "replay/ops", "replay/state"},
	"replay/monitor":                 {"history", "hitting/meter", "replay", "replay/ops"},
	"replay/decide":                  {"history", "hitting", "hitting/depth", "hitting/meter", "replay", "replay/monitor", "replay/ops", "replay/order", "replay/search", "replay/internal/trial", "replay/state", "replay/window"},
	"replay/explain":                 {"history", "hitting/meter", "hitting/table", "replay", "replay/state", "replay/ops", "replay/decide"},
	"replay/weak":                    {"history", "hitting/meter", "hitting/visibility", "replay", "replay/decide", "replay/explain", "replay/ops", "replay/spec", "replay/state"},
	"replay/report":                  {"history", "replay", "github.com/clipperhouse/displaywidth"}, // columns of CJK; tablewriter needs it, too
	"replay/batch":                   {"history", "history/codec", "history/files", "hitting", "replay", "replay/decide", "replay/spec", "replay/weak"},
	"replay/stresstest":              {"history", "history/codec", "hitting/visibility", "replay/weak", "history/stress", "history/stress/gotest", "history/stress/values", "history/stress/explore", "history/explore/instrument", "history/explore/schedule", "history/explore/shim/testing", "history/explore/tests", "history/explore/tests/inside", "history/explore/worker", "replay", "replay/spec", "replay/internal/trial", "replay/decide", "replay/explain", "replay/report", "replay/view"},
	"replay/composed":                {"history", "history/explore", "history/explore/schedule", "history/explore/shim/sync", "history/explore/worker"},
	"replay/composed/extract":        {"history/explore/instrument/golist"},
	"replay/porcupine":               {"history", "hitting/meter", "hitting/table", "replay", "replay/ops", "replay/decide", "replay/explain", "replay/report", "replay/stresstest", "replay/view", "github.com/anishathalye/porcupine"},
	"replay/view":                    {"history", "replay", "replay/report", "github.com/klauspost/compress/..."},
	"benchdata/corpora":              {},
	"benchdata/tables": {"history", "hitting", "hitting/meter", "replay", "replay/decide",
		"github.com/olekukonko/tablewriter/..."},
	"cmd/internal/flagkind": {"history/codec", "github.com/spf13/pflag"},
	"cmd/internal/output":   {},
	"cmd/internal/version":  {},
	"cmd/leadline": {"cmd/internal/flagkind", "cmd/internal/output", "cmd/internal/version", "history", "history/codec", "history/files", "history/record", "history/stress", "history/stress/explore", "history/explore", "history/explore/instrument", "history/explore/instrument/golist", "history/explore/tests", "history/explore/tests/inside", "history/stress/gotest", "history/explore/worker", "history/explore/schedule", "replay/simulate", "history/stress/subject", "hitting", "hitting/meter", "replay", "replay/batch", "replay/spec", "replay/proof", "replay/report", "replay/stresstest", "replay/view", "replay/weak", "replay/composed", "replay/composed/extract",
		"benchdata/corpora", "benchdata/tables",
		"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/olekukonko/tablewriter/...", "golang.org/x/term"},

	"history/explore/instrument":        {"history/explore", "history/explore/instrument/golist", "history/explore/worker"},
	"history/explore/instrument/golist": {"history/explore/worker"},
}

// TestImports holds the table against the files, which it parses itself.
func TestImports(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && name != "." || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.IsDir() && name != "." && exists(filepath.Join(file, "go.mod")):
			return fs.SkipDir // a module of its own
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		found[path.Dir(name)] = true
		checkImports(t, file, path.Dir(name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range imports {
		if !found[dir] {
			t.Errorf("the table names %s, which has no Go files", dir)
		}
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func checkImports(t *testing.T, file, dir string) {
	t.Helper()
	allowed, ok := imports[dir]
	if !ok {
		t.Errorf("package %s is not in the table of imports", dir)
		return
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Error(err)
			continue
		}
		first, _, _ := strings.Cut(name, "/")
		if !strings.Contains(first, ".") {
			continue // the standard library
		}
		own, isOwn := strings.CutPrefix(name, module)
		if isOwn {
			name = own
		}
		if !slices.ContainsFunc(allowed, func(a string) bool {
			prefix, isPattern := strings.CutSuffix(a, "/...")
			return name == prefix || isPattern && strings.HasPrefix(name, prefix+"/")
		}) {
			t.Errorf("%s imports %s, which %s may not", file, name, dir)
		}
	}
}

// TestInstall: go install refuses a module with a replace, and go get ignores it.
func TestInstall(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(line, "replace") || strings.HasPrefix(line, "exclude") {
			t.Errorf("go.mod has %q", strings.TrimSpace(line))
		}
	}
}

// TestTopLevel: no other directory stands at the top, and no Go file.
func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		known := slices.Contains([]string{"cmd", "hitting", "poset", "history", "replay", "benchdata"}, e.Name())
		if e.IsDir() && !known && !strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), ".go") {
			t.Errorf("%s stands at the top level", e.Name())
		}
	}
}

// TestLengths: no file is longer than 500 lines and no function than 60 in poset, hitting and
// replay. In cmd, too, no file is longer than 500 lines, and elsewhere none than 600.
func TestLengths(t *testing.T) {
	for dir := range imports {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		top, _, _ := strings.Cut(dir, "/")
		isCore := top == "poset" || top == "hitting" || top == "replay"
		for _, file := range files {
			isCore := isCore && !strings.HasSuffix(file, "_test.go")
			positions := token.NewFileSet()
			parsed, err := parser.ParseFile(positions, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			line := func(p token.Pos) int { return positions.Position(p).Line }
			most := 600
			if isCore || top == "cmd" {
				most = 500
			}
			if n := positions.File(parsed.Pos()).LineCount(); n > most {
				t.Errorf("%s has %d lines", file, n)
			}
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && isCore && line(f.End())-line(f.Pos())+1 > 60 {
					t.Errorf("%s: %s has more than 60 lines", file, f.Name.Name)
				}
			}
		}
	}
}
