package instrument

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/explore/instrument/golist"
)

// mostFollowed bounds the packages of other modules that are followed: their code is read, to find
// out what it refers to in turn.
var mostFollowed = 64

// Compile builds copies for a program and calls compile with them. If the program does not
// compile, it builds copies without the packages that were followed: these may exchange
// values of package sync with one that is not instrumented.
func Compile(ctx context.Context, t Target, compile func(*Copies) error) (*Copies, error) {
	copies, err := Build(ctx, t)
	if err != nil {
		return nil, err
	}
	failure := compile(copies)
	if failure == nil || len(copies.followed) == 0 || ctx.Err() != nil {
		return copies, failure
	}
	t.Alone = true
	alone, err := Build(ctx, t)
	if err != nil || compile(alone) != nil {
		return copies, failure
	}
	for _, path := range copies.followed {
		alone.leave(path, "the package, as the program does not compile with its copy")
	}
	return alone, nil
}

// leave notes that a package, or something in it, is not instrumented.
func (c *Copies) leave(path, what string) {
	at := slices.IndexFunc(c.Notes, func(n *Notes) bool { return n.Path == path })
	if at < 0 {
		at = len(c.Notes)
		c.Notes = append(c.Notes, &Notes{Path: path})
	}
	c.Notes[at].miss(what, path)
}

// follow chooses the packages of other modules in which the named packages, and those of the
// object's types, keep state. It goes along the references of their code; see referred.
func (b *build) follow() {
	seen, outside := map[string]bool{}, 0
	choose := func(p *golist.Package) {
		if b.mayBeChosen(p.Path()) {
			b.chosen[p.Path()], b.followed[p.Path()] = p, true
		}
	}
	for ; len(b.todo) > 0; b.todo = b.todo[1:] {
		p := b.todo[0]
		seen[p.Path()] = true
		s, _ := b.check(p)
		if s == nil || s.Types == nil {
			continue
		}
		if keepsState(s) {
			choose(p)
		}
		parts := referred(s)
		for _, path := range slices.Sorted(maps.Keys(parts)) {
			q := b.list.Packages[path]
			if q == nil || q.Standard || q.Module == nil || q.Module.Path == ownModule || b.left[path] {
				continue
			}
			if !seen[path] {
				if b.followed[path] || !b.isChosen(path) {
					outside++
				}
				if outside > mostFollowed {
					b.left[path] = true
					continue
				}
				seen[path] = true
				b.todo = append(b.todo, q)
			}
			if parts[path] {
				choose(q)
			}
		}
	}
}

// stateless matches packages of the standard library whose types do not change, or are parts of
// types that have stand-ins.
var stateless = compiled(`^(errors|reflect|unsafe|(.*/)?internal/.*)$`)

// check is List.Check, once for each package.
func (b *build) check(p *golist.Package) (*golist.Source, []error) {
	c, ok := b.checked[p]
	if !ok {
		c.source, c.faults = b.list.Check(p)
		b.checked[p] = c
	}
	return c.source, c.faults
}

type checked struct {
	source *golist.Source
	faults []error
}

// keepsState reports whether what calls of a package's functions return may depend on earlier calls
// or on the scheduler: it synchronises, reads the clock or has variables that change.
func keepsState(s *golist.Source) bool {
	return slices.ContainsFunc(s.Package.Imports, func(path string) bool { _, ok := shims[path]; return ok }) || len(changingGlobals(s)) > 0
}

// referred returns the packages that the code of a package refers to: by a function or a variable,
// or, which is true, by a type that an object may have. Such types are those of results of
// functions, of variables and of composite literals. Functions of tests do not count.
func referred(s *golist.Source) map[string]bool {
	found := map[string]bool{}
	mentions := func(t types.Type) {
		for path := range packagesOf(t) {
			found[path] = true
		}
	}
	for _, f := range s.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && isTest(s.Info, fn) {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					o := s.Info.Uses[n]
					_, isFunc := o.(*types.Func)
					_, isVar := o.(*types.Var)
					if (isFunc || isVar) && o.Pkg() != nil && o.Parent() == o.Pkg().Scope() {
						found[o.Pkg().Path()] = found[o.Pkg().Path()]
						mentions(o.Type())
					}
				case *ast.CompositeLit:
					mentions(s.Info.TypeOf(n))
				case *ast.CallExpr:
					if builtinName(n.Fun) == "new" {
						mentions(s.Info.TypeOf(n))
					}
				case *ast.ValueSpec:
					if n.Type != nil {
						mentions(s.Info.TypeOf(n.Type))
					}
				}
				return true
			})
		}
	}
	return found
}

// isTest reports whether a function has a parameter such as *testing.T.
func isTest(info *types.Info, f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		return strings.HasPrefix(strings.TrimPrefix(types.TypeString(info.TypeOf(p.Type), nil), "*"), "testing.")
	})
}

// unfollowed notes what cannot be instrumented, and what follow has left out.
func (b *build) unfollowed() {
	b.copies.followed = slices.Sorted(maps.Keys(b.followed))
	for _, path := range slices.Sorted(maps.Keys(b.refused)) {
		b.copies.leave(path, "the package, which "+strings.TrimPrefix(b.refused[path].Error(), path+" "))
	}
	own := b.list.Named[0].Path()
	for _, path := range slices.Sorted(maps.Keys(b.standard)) {
		if _, ok := shims[path]; !ok && !stateless().MatchString(path) {
			b.copies.leave(own, "package "+path+" of the standard library")
		}
	}
	for _, path := range slices.Sorted(maps.Keys(b.left)) {
		b.copies.leave(own, fmt.Sprintf("package %s, as the code refers to more than %d packages of other modules (--instrument adds it)", path, mostFollowed))
	}
}

// unfit returns why the copy of a package that was followed is not used: it could not be rewritten, or
// it calls a function of the runtime that ends scheduled executions.
func (p *Notes) unfit(err error) string {
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return first
	}
	for _, m := range p.Missed {
		if strings.Contains(m.What, endsExecution) {
			return m.What
		}
	}
	return ""
}
