package codec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// An input is a decompressed stream whose beginning can be examined before it
// is read.
type input struct {
	r    io.Reader
	head []byte // examined, but not read yet
	err  error  // what ended r
	zstd *zstd.Decoder

	closer  io.Closer       // closed together with the input; may be nil
	context context.Context // ends reading when it is done; may be nil
}

// newInput recognises gzip and zstd by their magic numbers. It reads no more than
// that takes.
func newInput(r io.Reader, lim Limits) (*input, error) {
	lim = lim.fill()
	raw := &input{r: r}
	magic, err := raw.peekMagic()
	if err != nil && err != io.EOF {
		return nil, err
	}
	counted := &counter{r: raw}
	out := &ratioReader{in: counted, ratio: lim.Ratio, after: lim.RatioAfter}
	switch {
	case isGzip(magic):
		gz, err := gzip.NewReader(counted)
		if err != nil {
			return nil, compressionError("gzip", err)
		}
		out.r, out.format = gz, "gzip"
		return &input{r: out}, nil
	case isZstd(magic):
		z, err := zstd.NewReader(counted, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(uint64(min(max(lim.Window, zstd.MinWindowSize), zstd.MaxWindowSize))))
		if err != nil {
			return nil, compressionError("zstd", err)
		}
		out.r, out.format = z, "zstd"
		return &input{r: out, zstd: z}, nil
	}
	return raw, nil
}

func isGzip(b []byte) bool { return bytes.HasPrefix(b, []byte{0x1f, 0x8b}) }

// isZstd also recognises the skippable frames with which a zstd file may begin.
func isZstd(b []byte) bool {
	return bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		len(b) >= 4 && b[0]&0xf0 == 0x50 && bytes.Equal(b[1:4], []byte{0x2a, 0x4d, 0x18})
}

// peekMagic returns the first four bytes, or fewer if those rule out that the
// input is compressed.
func (in *input) peekMagic() ([]byte, error) {
	for {
		b := in.head
		if len(b) >= 4 || len(b) >= 1 && b[0] != 0x1f && b[0] != 0x28 && b[0]&0xf0 != 0x50 {
			return b, nil
		}
		if in.err != nil {
			return b, in.err
		}
		in.look()
	}
}

// look reads once, appending to head.
func (in *input) look() {
	if len(in.head) == cap(in.head) {
		in.head = append(make([]byte, 0, max(4096, 2*cap(in.head))), in.head...)
	}
	n, err := readSome(in.r, in.head[:cap(in.head)], len(in.head))
	in.head, in.err = in.head[:n], err
}

// empty reports whether there is nothing to read, and why.
func (in *input) empty() (bool, error) {
	for len(in.head) == 0 {
		if in.err == io.EOF {
			return true, ErrEmpty
		}
		if in.err != nil {
			return true, in.err
		}
		in.look()
	}
	return false, nil
}

func (in *input) Read(p []byte) (int, error) {
	if len(in.head) > 0 {
		n := copy(p, in.head)
		if in.head = in.head[n:]; len(in.head) == 0 {
			in.head = nil
		}
		return n, nil
	}
	if in.err == nil && in.context != nil {
		in.err = in.context.Err()
	}
	if in.err != nil {
		return 0, in.err
	}
	return in.r.Read(p)
}

// size returns how many bytes the input has, 0 if that is not known.
func (in *input) size() int64 {
	if f, ok := in.r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}

// sizeOf returns how many bytes r has, 0 if that is not known.
func sizeOf(r io.Reader) int64 {
	if in, ok := r.(*input); ok {
		return in.size()
	}
	return 0
}

const (
	// sampled is the number of events or operations after which the length of a history
	// is estimated again and again.
	sampled = 1000
	// maxExpected bounds the estimate.
	maxExpected = 1 << 24
)

// expected estimates how many pieces an input of size bytes has, if its first bytes
// bytes have n; 0 if its size is unknown.
func expected(size, bytes int64, n int) int {
	return int(min(size*int64(n)/max(bytes, 1)*101/100, 4096*int64(n), maxExpected))
}

func (in *input) close() {
	if in.zstd != nil {
		in.zstd.Close()
	}
	if in.closer != nil {
		in.closer.Close()
	}
}

// A counter counts what is read through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// A ratioReader reads the output of a decompressor of in, and fails when that is
// disproportionately large. The limits of the libraries do not apply to streams.
type ratioReader struct {
	r            io.Reader
	in           *counter
	out          int64
	ratio, after int64
	format       string
}

func (r *ratioReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.out += int64(n)
	if r.out > r.after && r.out/r.ratio > r.in.n {
		return 0, limitError(fmt.Sprintf("%s: %d bytes of input became more than %d, over %d to 1",
			r.format, r.in.n, r.out, r.ratio))
	}
	if err != nil && err != io.EOF {
		if errors.Is(err, zstd.ErrWindowSizeExceeded) {
			err = limitError("zstd: " + err.Error())
		}
		err = compressionError(r.format, err)
	}
	return n, err
}

// compressionError adds the format to err, unless err begins with it.
func compressionError(format string, err error) error {
	if strings.HasPrefix(err.Error(), format) {
		return err
	}
	return fmt.Errorf("%s: %w", format, err)
}

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
