package files

import (
	"io"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Compress returns a writer to w that compresses by the extension of the file name:
// .gz means gzip, .zst zstd, any other no compression. Closing it completes the
// compressed data and leaves w open.
func Compress(w io.Writer, name string) (io.WriteCloser, error) {
	switch filepath.Ext(name) {
	case ".gz":
		return gzip.NewWriter(w), nil
	case ".zst":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	}
	return uncompressed{w}, nil
}

type uncompressed struct{ io.Writer }

func (uncompressed) Close() error { return nil }
