package instrument

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/explore/instrument/golist"
)

// A Target says what is instrumented.
type Target struct {
	// Dir is in the module that is built; "" is the working directory.
	Dir string
	// Packages are patterns of the Go tool. Packages of the same module that they
	// import are also instrumented, and so are imported sources of random numbers, and those
	// of other modules in which they keep state.
	Packages []string
	// Alone leaves out packages of other modules that the code of the others refers to.
	Alone bool
	// Object is a function or a type of the first package, or "". The packages of
	// the types that it returns or consists of are instrumented, too.
	Object string
	// Parts are packages of types that an object consists of. They are instrumented,
	// too, unless they cannot be.
	Parts []string
	// Plain adds points to plain loads and stores.
	Plain bool
	// Tags are build tags.
	Tags []string
	// Tests adds the test files of the named packages.
	Tests bool
	// Explore makes a body of each test, with a stand-in of package testing; see package tests. It adds
	// test files as Tests does.
	Explore bool
	// Cache is the directory of the cache; "" is leadline/instrument in that of
	// the user.
	Cache string
}

// A build is one call of Build.
type build struct {
	Target
	copies        *Copies
	cache         string
	grown         bool   // something was added to the cache
	gomod, gowork string // files; gowork is "" outside of a workspace
	modcache      string
	list          *golist.List
	chosen        map[string]*golist.Package // by path
	replace       []string                   // flags of go mod edit for the modules that are copied

	todo     []*golist.Package // whose references are to be followed
	followed map[string]bool   // by path: chosen because others refer to it
	left     map[string]bool   // by path: too many
	refused  map[string]error  // by path: why an object's package cannot be instrumented
	standard map[string]bool   // packages of the standard library with types of the object
	checked  map[*golist.Package]checked
}

// Build makes instrumented copies of packages, or finds them in the cache, and
// returns how to build with them. It changes neither the module nor the module
// cache.
func Build(ctx context.Context, t Target) (*Copies, error) {
	b := &build{Target: t, copies: &Copies{Overlay: map[string]string{}}, chosen: map[string]*golist.Package{}, followed: map[string]bool{},
		left: map[string]bool{}, refused: map[string]error{}, standard: map[string]bool{}, checked: map[*golist.Package]checked{}}
	b.Tests = b.Tests || b.Explore
	if err := b.environment(ctx); err != nil {
		return nil, err
	}
	if err := b.choose(ctx); err != nil {
		return nil, err
	}
	for _, m := range b.modules() {
		if err := b.module(ctx, m); err != nil {
			return nil, err
		}
	}
	if err := b.requireLeadline(ctx); err != nil {
		return nil, err
	}
	if err := b.replaceModules(ctx); err != nil {
		return nil, err
	}
	if b.grown {
		b.trim(cacheBytes)
	}
	b.uncovered()
	b.unfollowed()
	slices.SortFunc(b.copies.Notes, func(x, y *Notes) int { return cmp.Compare(x.Path, y.Path) })
	return b.copies, nil
}

// environment asks the Go tool where things are.
func (b *build) environment(ctx context.Context) error {
	out, err := golist.Tool(ctx, b.Dir, "env", "GOMOD", "GOWORK", "GOMODCACHE", "GOFLAGS")
	if err != nil {
		return err
	}
	env := strings.Split(string(out), "\n")
	if len(env) < 4 {
		return fmt.Errorf("go env printed %q", out)
	}
	b.gomod, b.gowork, b.modcache = env[0], env[1], env[2]
	if b.gomod == "" || b.gomod == os.DevNull {
		return errors.New("instrumentation needs a module: the directory is in none")
	}
	if b.gowork == "off" {
		b.gowork = ""
	}
	for _, flag := range []string{"-modfile", "-overlay"} {
		if strings.Contains(env[3], flag) {
			return fmt.Errorf("GOFLAGS has %s, which instrumentation needs for itself", flag)
		}
	}
	if len(b.Tags) > 0 {
		b.copies.Flags = append(b.copies.Flags, "-tags="+strings.Join(b.Tags, ","))
	}
	root := filepath.Dir(b.gomod)
	if b.gowork != "" {
		root = filepath.Dir(b.gowork)
	}
	if _, err := os.Stat(filepath.Join(root, "vendor", "modules.txt")); err == nil {
		// Vendored packages could not import the hooks.
		b.copies.Flags = append(b.copies.Flags, "-mod=readonly")
	}
	b.cache = b.Cache
	if b.cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("the cache of instrumented copies: %w", err)
		}
		b.cache = filepath.Join(dir, "leadline", "instrument")
	}
	if b.cache, err = filepath.Abs(b.cache); err != nil {
		return err
	}
	return os.MkdirAll(b.cache, 0o755)
}

const ownModule = "github.com/leadline/leadline"

// choose finds the packages to instrument.
func (b *build) choose(ctx context.Context) error {
	if len(b.Packages) == 0 {
		return errors.New("instrumentation of no package")
	}
	flags := b.copies.Flags
	if b.Tests {
		flags = append(slices.Clone(flags), "-test")
	}
	var err error
	b.list, err = golist.Load(ctx, b.Dir, flags, b.Packages...)
	if err != nil {
		if slices.Contains(b.copies.Flags, "-mod=readonly") {
			err = fmt.Errorf("%w\nThe vendor directory is not used; the module cache needs the modules: go mod download", err)
		}
		return err
	}
	for _, p := range b.list.Named {
		if isGenerated(p) {
			continue
		}
		if err := b.mayBeNamed(p); err != nil {
			return err
		}
		b.add(p)
	}
	for _, p := range b.list.Named {
		if own := b.chosen[p.Path()]; own != nil && !slices.Contains(b.todo, own) {
			b.todo = append(b.todo, own)
		}
	}
	if err := b.addObject(); err != nil {
		return err
	}
	if !b.Alone {
		b.follow()
	}
	b.addHelpers()
	for _, p := range b.list.Packages {
		if p.Standard || b.isChosen(p.Path()) || p.Module == nil || p.Module.Path == ownModule {
			continue
		}
		random, err := isRandomSource(p)
		if err != nil {
			return err
		}
		if random || always().MatchString(p.Path()) {
			b.chosen[p.Path()] = p
		}
	}
	return nil
}

// isGenerated reports whether a package is the main package of a test program.
func isGenerated(p *golist.Package) bool {
	return p.Name == "main" && strings.HasSuffix(p.Path(), ".test")
}

// always matches small packages that are used instead of package sync or maps. They are
// always instrumented.
var always = compiled(`^(golang\.org/x/(exp/maps|sync/\w+)|go\.uber\.org/atomic)$`)

// ofScheduler matches packages below history that the scheduler consists of or imports.
var ofScheduler = compiled(`^(/codec|/files|/record|/stress|/explore|/explore/(schedule|shim).*)?$`)

func (b *build) isChosen(path string) bool { return b.chosen[path] != nil }

// mayBeNamed refuses packages that cannot be instrumented.
func (b *build) mayBeNamed(p *golist.Package) error {
	within, own := strings.CutPrefix(p.Path(), ownModule+"/history")
	switch {
	case p.Standard:
		return fmt.Errorf("%s is a package of the standard library, which the scheduler itself uses. To test it, instrument a copy of it in a module", p.Path())
	case own && p.Module != nil && p.Module.Path == ownModule && ofScheduler().MatchString(within):
		return fmt.Errorf("%s is a part of the scheduler or uses it, so that it cannot be instrumented", p.Path())
	case len(p.CgoFiles) > 0:
		return fmt.Errorf("%s uses cgo, in %s: C code cannot be instrumented", p.Path(), p.CgoFiles[0])
	case p.Export == "" || len(p.DepsErrors) > 0 || p.Error != nil:
		if _, faults := b.list.Check(p); len(faults) > 0 {
			return errors.Join(faults...)
		}
	}
	return nil
}

// add chooses a package and what it imports from its module.
func (b *build) add(p *golist.Package) {
	for todo := []*golist.Package{p}; len(todo) > 0; todo = todo[1:] {
		p := todo[0]
		// Of the variants of a package, that with the test files has all others.
		if old := b.chosen[p.Path()]; old != nil && (old == p || old.ForTest == p.Path() || p.ForTest != p.Path()) {
			continue
		}
		b.chosen[p.Path()] = p
		for _, path := range p.Imports {
			i := b.list.Packages[path]
			if i != nil && i.Module != nil && p.Module != nil && (i.Module.Path == p.Module.Path || b.Explore && b.isLocal(i.Module)) && i.Module.Path != ownModule {
				todo = append(todo, i)
			}
		}
	}
}

// addObject chooses the packages of the types that an object consists of.
func (b *build) addObject() error {
	for _, path := range b.Parts {
		b.addPart(path)
	}
	if b.Object == "" {
		return nil
	}
	p, err := b.list.Import(b.Packages[0])
	if err != nil {
		return err
	}
	object := p.Scope().Lookup(b.Object)
	if object == nil {
		return nil // the compiler reports it
	}
	for path := range packagesOf(object.Type()) {
		b.addPart(path)
	}
	return nil
}

// addPart chooses a package of a type of the object, and what it imports from its module.
func (b *build) addPart(path string) {
	if p := b.list.Packages[path]; p != nil && p.Standard {
		b.standard[path] = true
	} else if b.mayBeChosen(path) {
		b.add(p)
		b.todo = append(b.todo, p)
	}
}

// mayBeChosen reports whether a package that is not chosen can be instrumented.
func (b *build) mayBeChosen(path string) bool {
	p := b.list.Packages[path]
	if p == nil || p.Standard || b.isChosen(path) || p.Module == nil || p.Module.Path == ownModule {
		return false
	}
	if err := b.mayBeNamed(p); err != nil {
		b.refused[path] = err
	}
	return b.refused[path] == nil
}

// packagesOf returns the packages of the named types that a type consists of, or
// that the results of a function do.
func packagesOf(t types.Type) map[string]bool {
	found, seen := map[string]bool{}, map[types.Type]bool{}
	const limit = 10_000 // of types, in case a generic type has endless instances
	for todo := []types.Type{t}; len(todo) > 0 && len(seen) < limit; {
		t := types.Unalias(todo[len(todo)-1])
		todo = todo[:len(todo)-1]
		if seen[t] {
			continue
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Named:
			if _, isInterface := t.Underlying().(*types.Interface); t.Obj().Pkg() != nil && !isInterface {
				found[t.Obj().Pkg().Path()] = true
			}
			for a := range t.TypeArgs().Types() {
				todo = append(todo, a)
			}
			todo = append(todo, t.Underlying())
		case *types.Struct:
			for f := range t.Fields() {
				todo = append(todo, f.Type())
			}
		case *types.Signature:
			for v := range t.Results().Variables() {
				todo = append(todo, v.Type())
			}
		case *types.Map:
			todo = append(todo, t.Key(), t.Elem())
		case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
			todo = append(todo, t.Elem())
		}
	}
	return found
}

var linkedRandom = compiled(`(?m)^//go:linkname \w+ (\S+)$`)

// isRandomSource reports whether a package takes random numbers from the runtime
// by a linkname directive.
func isRandomSource(p *golist.Package) (bool, error) {
	if !slices.Contains(p.Imports, "unsafe") {
		return false, nil
	}
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return false, err
		}
		for _, m := range linkedRandom().FindAllSubmatch(text, -1) {
			for _, s := range standIns {
				if s.kind == "random source" && s.names().Match(m[1]) {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

// uncovered notes imported packages that synchronise and are not instrumented. Imports of
// test files do not count.
func (b *build) uncovered() {
	for _, notes := range b.copies.Notes {
		p := b.chosen[notes.Path]
		if p.ForTest != "" {
			if p = b.list.Packages[p.Path()]; p == nil {
				continue // all of its files are test files
			}
		}
		for _, path := range p.Imports {
			i := b.list.Packages[path]
			if i == nil || i.Standard || b.isChosen(i.Path()) || i.Module != nil && i.Module.Path == ownModule {
				continue
			}
			for _, shimmed := range i.Imports {
				if _, ok := shims[shimmed]; ok && shimmed != "time" && shimmed != "runtime" && shimmed != "context" && shimmed != "maps" {
					notes.Missed = append(notes.Missed, Missed{"package " + i.Path() + ", which imports " + shimmed, p.Dir, 1})
					break
				}
			}
		}
	}
}

// replaceModules adds to the overlay a go.mod, or in a workspace a go.work, that replaces the
// modules that are copied.
func (b *build) replaceModules(ctx context.Context) error {
	if len(b.replace) == 0 {
		return nil
	}
	kind, original := "mod", b.gomod
	if b.gowork != "" {
		kind, original = "work", b.gowork
	}
	text, err := os.ReadFile(original)
	if err != nil {
		return err
	}
	dir, err := b.once(key(kind, string(text), fmt.Sprint(b.replace)), func(dir string) error {
		file := filepath.Join(dir, "go."+kind)
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
		_, err := golist.Tool(ctx, b.Dir, slices.Concat([]string{kind, "edit"}, b.replace, []string{file})...)
		return err
	})
	b.copies.Overlay[original] = filepath.Join(dir, "go."+kind)
	return err
}
