package codec

import (
	"fmt"
	"io"

	"github.com/leadline/leadline/history/codec/records"
	"github.com/leadline/leadline/history/files"
)

// Survey returns a mapping to fill in for the records of r: comments that list the fields
// with some values of each, and the names that a mapping has. It ignores opts.Format and opts.Map.
func Survey(r io.Reader, file string, opts Options) (string, error) {
	in, err := files.Open(opts.Context, r, opts.Limits.Fill().Limits)
	if err != nil {
		return "", inputError(file, err)
	}
	defer in.Close()
	if empty, err := in.Empty(); empty {
		return "", inputError(file, err)
	}
	if format, err := detect(in); err == nil {
		return "", fmt.Errorf("%s: needs no mapping: it is in the format %s", file, format.Name)
	}
	return records.Survey(in, file, opts.Limits)
}
