// Package extract finds the functions of Go packages that package composed can
// test: functions that call several operations on the same concurrent collection. It
// is the extractor of "Testing Atomicity of Composed Concurrent Operations"
// (Shacham et al., OOPSLA 2011, Section 5.1), and the logic of leadline composed.
//
// The package in testdata/cache has
//
//	func (c *Cache) Length(s string) int {
//		if n, ok := c.lengths.Load(s); ok {
//			return n.(int)
//		}
//		n := len(s)
//		c.lengths.LoadOrStore(s, n)
//		return n
//	}
//
// [Find] reports that it calls Load and LoadOrStore on c.lengths.
// [Result.WriteSkeletons] writes this test of it:
//
//	func TestCacheCacheLength(t *testing.T) {
//		method := func(m composed.Map, s string) int {
//			if n, ok := m.Load(s); ok {
//				return n.(int)
//			}
//			n := len(s)
//			m.LoadOrStore(s, n)
//			return n
//		}
//		// TODO: choose arguments, Keys and Values with which the operations run; a panic counts as a result.
//		composed.Test(t, func(m composed.Map) any {
//			return method(m, "a")
//		}, composed.Options{})
//	}
//
// The test fails. Length returns 1 although another length is in the map:
//
//	method       |------------- Length: 1 --------------|
//	environment       |--LoadOrStore("a", 2): stored--|
//
// # What is found
//
// A collection is a value of one of these types:
//   - sync.Map;
//   - Map and MapOf of github.com/puzpuzpuz/xsync;
//   - ConcurrentMap of github.com/orcaman/concurrent-map;
//   - Map of github.com/alphadose/haxmap;
//   - Map and HashMap of github.com/cornelk/hashmap;
//   - a struct with the methods of a map, set or queue, and with a field of package sync or
//     sync/atomic, or a channel.
//
// A struct is a map if it has methods such as Get and Set, a set if it has Add and Contains, and
// a queue if it has Push and Pop. Other names are known, too. The methods have parameters and
// results like those of composed.Map, Set and Queue, or fewer results. The tests of a function
// that uses such a type have a correct collection in its place, so they do not test the type.
//
// The libraries may have any major version, and all types may be embedded. Files are type-checked
// against the export data of the packages that they import, so the packages have to
// compile.
//
// Two operations are on the same collection if they name it by the same variable,
// fields and elements. A variable that is assigned once counts as the expression that is
// assigned to it, such as m after m := &c.lengths. An operation in a loop counts as
// several, unless a variable that names the collection is declared in the loop. The
// function of a Range counts as a loop.
//
// The operations of a called function of the same package count as operations of the caller,
// up to three calls deep, if they are on a collection that the caller names too. A function
// with a single call of another one is not composed, unless the call is in a loop. Neither is
// one that only calls functions with several operations. Function literals belong
// to their function, with two exceptions. The literal of a go statement is a function of
// its own, because another goroutine runs it. So is a literal that uses a collection that
// the function around it makes, because other goroutines may call it.
//
// These are not found:
//   - operations through an interface, or a function value;
//   - operations in functions of other packages;
//   - operations on a collection that the function makes itself, outside of function
//     literals.
//
// Find does not consider branches, locks, and assignments between two operations. So it
// may find a function whose operations exclude one another, that holds a lock, or
// that has assigned another collection to the variable in between.
//
// # Skeletons
//
// A skeleton has a copy of the function with the collection as a parameter.
// Arguments are values such as "a", 1 and new(T), and a TODO asks to review them: the test of a
// function that always returns or panics before its second operation fails as not exercised.
// A parameter that is a function gets one with new results at each call (composed.Func).
// Options.Constants has the constants with which the function compares.
// Called functions with operations on the collection are copied, too. A type parameter is int
// in the copy.
// For collections other than sync.Map, an adapter has their methods. If a function cannot
// be copied, it is a comment with the reason, in a test that fails until it is edited. For
// instance, composed.Map does not have Compute, and the copy may not compile. If the
// skeletons are written to the directory of the package, the copy can use everything that
// the package declares. Otherwise the test is in a package composed_test, and the copy can
// use other packages only. All skeletons are formatted, compile, and pass go vet.
//
// A skeleton does not say what the environment of the program does. See
// composed.Options for that.
package extract
