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
// [Find] reports that it calls Load and LoadOrStore on c.lengths. [Result.Programs] writes a file of
// the package that lets leadline composed --check call the function:
//
//	func LeadlineComposed() []leadlineComposed.Target {
//		return []leadlineComposed.Target{
//			{
//				Name: "(*Cache).Length", Function: (*Cache).Length, Receiver: "*Cache", Makers: []any{},
//				Collection: func(c *Cache) []any { return []any{c.lengths.Load, c.lengths.Store, ...} },
//				Roots: []int{0}, Operations: []string{"Load ?k", "Store kv", ...},
//				Sites: []string{"cache.go:11 Load", "cache.go:15 LoadOrStore"}, ...
//			},
//		}
//	}
//
// The Go tool sees the file by an overlay, beside instrumented copies of the others. So the function
// and the collection are the real ones. Serve of package composed explores them, and finds that Length
// returns 1 although another length is in the map:
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
// a queue if it has Push and Pop. Other names are known, too; the table is in kinds.go. The methods
// have as many parameters as there, and at most two results.
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
// # What can be called
//
// A target names the function, or the method as an expression such as (*Cache).Length, and the
// constructors of the receiver: functions of the package called New or NewX that return its type, also
// with an error. Type parameters are int. The constants are those with which the function, or one
// that it calls, compares, those that it gives to operations, and the zero values of types that it
// asserts.
//
// Function.Reason says why a function is in no program:
//   - it is a function literal, or cannot be called by its name, such as init;
//   - it has a type parameter that int does not satisfy;
//   - its collection depends on a variable of the function, such as the element of a slice that a loop
//     visits. Fields, global variables and parameters, and calls and elements that depend on these
//     only, such as c.shard(key).m, can be reached;
//   - the file would not compile, for instance because a type is declared in a function.
package extract
