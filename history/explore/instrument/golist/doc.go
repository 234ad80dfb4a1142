// Package golist lists packages with the Go tool and type-checks them, with the
// declarations of what they import from export data.
//
// golang.org/x/tools/go/packages does that, too. It is not used, because it checks either
// the packages that the patterns name or, from their sources, all that they import. Here
// those to check are known when the list is: with it, they have to be listed twice (1.6 times
// the time for four libraries), or to be checked as here, so that only the decoding of the list
// is saved. Users of leadline would depend on three more modules, and on a release of
// x/tools that reads the export data of their Go.
//
// # Example
//
// Load runs go list for patterns such as ./..., in a directory of a module:
//
//	list, err := golist.Load(ctx, ".", nil, "./...")
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
// With -test in the flags, the list also has the variants that tests of the named
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
