package history

// A Version is what an operation recorded besides its result, of an object that numbers its
// changes: a revision, a version of a key, an index of a log, a fencing token. The zero Version
// is none. What a version says is in the specification; see replay.Versioned.
type Version int64

// VersionOf returns the Version with a number from 0 on.
func VersionOf(number int64) Version { return Version(number + 1) }

// Number returns the number of the version, and whether there is one.
func (v Version) Number() (number int64, ok bool) { return int64(v) - 1, v > 0 }
