// Package instrument makes copies of Go packages that a scheduler controls: each
// access to package sync or sync/atomic, each operation of a channel, each go
// statement, timer, random number and range over a map calls package schedule.
// Outside of a scheduled execution, the copies do what the originals do.
//
// # Example
//
// Build writes the copies, or finds them in the cache, and returns how to build
// with them. Neither the module nor the module cache changes:
//
//	r, err := instrument.Build(ctx, instrument.Options{Packages: []string{"example.com/queue"}})
//	flags, err := r.WithOverlay("overlay.json", nil)
//	cmd := exec.Command("go", append(append([]string{"build"}, flags...), "./cmd/test")...)
//	cmd.Env = append(os.Environ(), r.Env...)
//
// The text is edited where it is, so that all lines keep their numbers:
//
//	import "sync"               import sync "github.com/leadline/.../shim/sync"
//	go q.grow(n + 1)            { f := q.grow; a := n + 1; Go(func() { f(a) }) }
//	v, ok := <-ch               v, ok := Recv2(ch)
//	for k, v := range m {       for it, k, v := RangeMap(m); it.Next(&k, &v); {
//	select {                    switch c, d := RecvCase(a), To(b).Case(1); Select(false, c, d) {
//	case v := <-a:              case 0: v := c.Value();
//	case b <- 1:                default:
//	}                           }
//	x.n = x.n + 1               At(&x.n).Set(Load(&x.n) + 1)        (with Options.Plain)
//
// A select evaluates its operands in the head of the switch. Its last case is the
// default, so that the switch is a terminating statement where the select is one.
// A range over a map or a channel is a loop with three clauses, whose variables
// are new in each iteration if the version of Go of the file has them so.
//
// # How the Go tool sees the copies
//
//   - A module in the module cache is copied as a whole, and -modfile names a go.mod
//     that replaces it. In a workspace, GOWORK names a go.work that does.
//   - Files elsewhere, as those of the main module, are in Result.Overlay.
//   - A module of Go 1.19 or older gets Go 1.20, since the hooks are generic.
//   - A vendor directory is not used; the module cache needs the modules.
//
// Packages are chosen by patterns. What they import from their own module is
// instrumented, too. So are, where they are imported, packages that take random
// numbers from the runtime by linkname, golang.org/x/sync, go.uber.org/atomic and
// golang.org/x/exp/maps. Only files of the present build are instrumented: those
// for GOOS, GOARCH and Options.Tags.
//
// The cache has a directory for each module, by its version or the contents of
// its files, the packages that it imports, and the options. Directories get their
// names when they are complete, so that several processes can build at once.
// Those that were not used for 30 days are removed.
//
// # What is not instrumented
//
// Refused, with the place:
//
//   - packages of the standard library: the scheduler uses them; test a copy
//   - cgo
//   - assembly with atomic instructions
//   - unsafe.Pointer of types of package sync
//   - a shift of a constant as an argument of a go statement, if its type has no name there
//
// Named in the Report:
//
//   - other assembly, linkname directives, hashes with a seed of the process
//   - packages that synchronise and are imported, but not instrumented
//   - functions such as reflect.Select, iter.Pull or crypto/rand.Read
//   - with Options.Plain: elements in append and copy, and some stores
//
// procPin and the like of the runtime end a scheduled execution with a panic. A
// load of an embedded pointer on the way to a field is not a point. The stores of an
// assignment of several values happen together, after the points of all. Values of
// package sync that an instrumented package exchanges with one that is not do not
// compile; Explain has advice.
package instrument
