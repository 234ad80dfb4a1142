// Package version says which version of leadline a program was built from.
package version

import "runtime/debug"

// Text returns the version of the module that the program was built from.
func Text() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
