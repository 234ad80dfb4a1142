// Package instrument makes copies of Go packages that a scheduler controls: each
// access to package sync or sync/atomic, each operation of a channel, each go
// statement, timer, random number and range over a map calls package schedule.
// Outside a scheduled execution, the copies behave like the originals.
//
// # Example
//
// Build writes the copies, or finds them in the cache, and returns how to build
// with them. Neither the module nor the module cache changes:
//
//	r, err := instrument.Build(ctx, instrument.Target{Packages: []string{"example.com/queue"}})
//	flags, err := r.WithOverlay("overlay.json", nil)
//	cmd := exec.Command("go", append(append([]string{"build"}, flags...), "./cmd/test")...)
//
// The text is edited in place, so that all lines keep their numbers:
//
//	import "sync"               import sync "github.com/leadline/.../shim/sync"
//	go q.grow(n + 1)            { f := q.grow; a := n + 1; Go(func() { f(a) }) }
//	v, ok := <-ch               v, ok := Recv2(ch)
//	for k, v := range m {       for it, k, v := RangeMap(m); it.Next(&k, &v); {
//	select {                    switch c, d := RecvCase(a), To(b).Case(1); Select(false, c, d) {
//	case v := <-a:              case 0: v := c.Value();
//	case b <- 1:                default:
//	}                           }
//	x.n = y.n                   At(&x.n).Set(Load(&y.n))            (with Target.Plain)
//	x.n++                       { p0 := At(&x.n); p0.Set(p0.Load() + 1) }
//	func TestX(t *testing.T) {...}      func leadline__TestX(t *testing.T) {...}              (with Target.Explore)
//	                                    and at the end: func TestX(t *std.T) { explore.Test(t, leadline__TestX) }
//	var m = map[int]int{}       and at the end of the file: func init() { Globals("example.com/queue", &m) }
//
// The head of the switch evaluates the operands of a select. The last case becomes the
// default, so that the switch is a terminating statement if the select is one. A range
// over a map or a channel becomes a loop with three clauses. Its variables are new in
// each iteration if they are in the file's version of Go.
//
// # How the Go tool sees the copies
//
// Everything is in one overlay (Copies.Overlay), which the Go tool uses instead of the files:
//
//   - files of the main module, and of others that are not in the module cache;
//   - the go.mod, or in a workspace the go.work. Modules in the module cache are replaced there
//     by copies of their directories, because the Go tool refuses overlays beneath the module
//     cache. Such a copy cannot consist of an overlay only: C and assembly would not find the
//     headers.
//
// The hooks are generic. Files of Go 1.19 or older get a constraint that makes them files of
// a newer version, so that the go.mod of their module stays as it is.
//
// A vendor directory is not used; the module cache needs the modules. An overlay could add the
// copies to it, but not the stand-ins with all that these import.
//
// -toolexec would need neither copies nor replacements: a program that the Go tool runs
// instead of the compiler would rewrite the files of a package just before they are compiled.
// It was tried with one package, and is not used, because
//   - the name of the program is part of what the cache of builds is asked for, for every
//     package. So each set of options compiles the standard library and all dependencies
//     again, which took 6 s for a program of two packages;
//   - the compiler is told where the packages are that the original file imports, and no
//     others. The program has to find the stand-ins and what these import, in builds that fit;
//   - the Go tool does not know that the package depends on the stand-ins. It links them only
//     if the main package imports them, and may compile them too late.
//
// Patterns choose the packages. Also instrumented, if they are imported, are
//   - packages of the same module;
//   - packages of other modules that the code of these, or of the object's types, refers to: by a
//     function or a variable if the package keeps state, and by a type that an object may have. Such
//     references are followed through up to 64 packages, unless Target.Alone is set. Compile leaves them
//     out if the program does not compile with their copies;
//   - packages that take random numbers from the runtime by linkname;
//   - golang.org/x/sync, go.uber.org/atomic and golang.org/x/exp/maps.
//
// Only the files for GOOS, GOARCH and Target.Tags are instrumented.
//
// The cache has a directory for each module. Its name depends on the version or the
// contents of the files, the imported packages, and the options. A directory gets its
// name when it is complete, so that several processes can build at once. Directories
// that were not used for 30 days are removed. So are, while the cache is larger than 1 GB,
// those that were used longest ago; but none that was used in the last ten minutes.
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
// Named in the Notes:
//
//   - other assembly, linkname directives, hashes with a seed of the process
//   - packages that synchronise and are imported, but not instrumented
//   - packages that were followed and cannot be instrumented, or are too many
//   - packages of the standard library with types that the object consists of
//   - functions such as reflect.Select, iter.Pull or crypto/rand.Read
//   - with Target.Plain: elements in append and copy, and some stores
//
// Functions of the runtime such as procPin end a scheduled execution with a panic. The
// load of an embedded pointer on the way to a field is not a scheduling point. Code that passes values of package sync between an instrumented package and another one does
// not compile; Explain has advice.
package instrument
