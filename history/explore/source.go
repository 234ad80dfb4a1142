package explore

import "embed"

// Source has the packages that are compiled into the code under test, with their tests: for programs whose
// module does not require leadline.
//
//go:embed *.go schedule shim tests/inside worker
var Source embed.FS
