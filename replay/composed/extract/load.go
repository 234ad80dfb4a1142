package extract

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/leadline/leadline/history/stress/explore/instrument/golist"
)

// A source is a package whose files are parsed and type-checked.
type source struct {
	path  string
	dir   string
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
	types *types.Package
	conf  *types.Config

	scanner *scanner
}

// load lists the packages that the patterns name and type-checks them. Packages
// with errors are left out, and the errors returned.
func load(ctx context.Context, dir string, patterns []string) (sources []*source, faults []error, err error) {
	list, err := golist.Load(ctx, golist.Config{Dir: dir}, patterns...)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range list.Named {
		s, errs := list.Check(p)
		if len(errs) == 0 && s != nil {
			sources = append(sources, &source{path: p.ImportPath, dir: p.Dir, fset: list.Fset, files: s.Files, info: s.Info, types: s.Types, conf: s.Conf})
		}
		for _, e := range errs { // several packages can import the same faulty one
			if !slices.ContainsFunc(faults, func(f error) bool { return f.Error() == e.Error() }) {
				faults = append(faults, e)
			}
		}
	}
	return sources, faults, ctx.Err()
}
