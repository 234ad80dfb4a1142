//go:build !unix

package batch

import "os"

func lock(*os.File) error { return nil }
