// Package golist lists packages with the Go tool and type-checks them, with the
// declarations of what they import from export data. It is a small part of
// golang.org/x/tools/go/packages, and needs the standard library only.
//
// # Example
//
// Load runs go list for patterns such as ./..., in a directory of a module:
//
//	list, err := golist.Load(ctx, golist.Config{Dir: "."}, "./...")
//	for _, p := range list.Named {
//		source, faults := list.Check(p)
//	}
//
// A Package has what the Go tool reports: the files of the current build (GOOS, GOARCH
// and tags), the imports, the module. A Source has its syntax
// trees and types. Import returns only the exported declarations of a package,
// which is faster.
//
//	go list -deps -export ──> List ──┬── Check(p):   files, syntax, types
//	                                 └── Import(path): declarations
//
// With Config.Tests, the list also has the variants that tests of the named
// packages consist of: "q [q.test]" is q with the test files of its own package,
// and "q_test [q.test]" are its external tests. Check reads each variant with the
// variants that it imports.
//
// # What it promises
//
// A package with errors does not keep others from being listed. The errors of a
// package are those of Check, as file:line:column: message, at most ten.
//
// Types of files that import C are not complete. The Go tool has to compile all
// packages that the named ones import, or to have compiled them.
package golist
