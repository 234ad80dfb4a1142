// Package files finds files and opens them: below directories, in archives (tar and zip),
// from pipes and standard input, decompressed (gzip and zstd). It knows no format: Options.Look
// judges the content of what it finds.
//
// Walk yields the files that paths name. File.Input opens one of them, and Open any reader, as an
// Input, whose beginning can be examined before it is read. Archives and forms of compression are
// recognised by their first bytes, never by names. Limits bound what a small input may expand to.
//
// Compress is the way back: a writer that compresses.
package files
