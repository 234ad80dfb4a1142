package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// An Input is a decompressed stream whose beginning can be examined before it
// is read.
type Input struct {
	r    io.Reader
	head []byte // examined, but not read yet
	err  error  // what ended r
	zstd *zstd.Decoder

	closer  io.Closer       // closed together with the input; may be nil
	lent    bool            // a walk closes it
	context context.Context // ends reading when it is done; may be nil
}

// NewInput returns r as an Input, without decompressing it.
func NewInput(r io.Reader) *Input { return &Input{r: r} }

// Open returns r as an Input, decompressed if it is compressed by gzip or zstd, which it
// recognises by their magic numbers. It reads no more than that takes. Reading ends when
// ctx, which may be nil, is done, even while a Read of r blocks. Closing the Input leaves r open.
func Open(ctx context.Context, r io.Reader, lim Limits) (*Input, error) {
	in, err := decompress(NewInput(interruptible(ctx, r)), lim)
	if err != nil {
		return nil, err
	}
	in.context = ctx
	return in, nil
}

// decompress is Open for an Input without a context.
func decompress(raw *Input, lim Limits) (*Input, error) {
	lim = lim.Fill()
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
		return &Input{r: out}, nil
	case isZstd(magic):
		z, err := zstd.NewReader(counted, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(uint64(min(max(lim.Window, zstd.MinWindowSize), zstd.MaxWindowSize))))
		if err != nil {
			return nil, compressionError("zstd", err)
		}
		out.r, out.format = z, "zstd"
		return &Input{r: out, zstd: z}, nil
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
func (in *Input) peekMagic() ([]byte, error) {
	for {
		b := in.head
		if len(b) >= 4 || len(b) >= 1 && b[0] != 0x1f && b[0] != 0x28 && b[0]&0xf0 != 0x50 {
			return b, nil
		}
		if in.err != nil {
			return b, in.err
		}
		in.Look()
	}
}

// Head returns what has been examined, and is to be read first.
func (in *Input) Head() []byte { return in.head }

// Err returns what ended the stream after Head, usually io.EOF, or nil.
func (in *Input) Err() error { return in.err }

// Discard skips the first n bytes of Head.
func (in *Input) Discard(n int) { in.head = in.head[n:] }

// firstLook is how many bytes the first Look reads.
const firstLook = 4096

// Look reads once, appending to Head.
func (in *Input) Look() {
	if len(in.head) == cap(in.head) {
		in.head = append(make([]byte, 0, max(firstLook, 2*cap(in.head))), in.head...)
	}
	n, err := ReadSome(in.r, in.head[:cap(in.head)], len(in.head))
	in.head, in.err = in.head[:n], err
}

// Empty reports whether there is nothing to read, and why.
func (in *Input) Empty() (bool, error) {
	for len(in.head) == 0 {
		if in.err == io.EOF {
			return true, ErrEmpty
		}
		if in.err != nil {
			return true, in.err
		}
		in.Look()
	}
	return false, nil
}

func (in *Input) Read(p []byte) (int, error) {
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

// Size returns how many bytes the input has, 0 if that is not known.
func (in *Input) Size() int64 {
	if f, ok := in.r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}

// Close frees what decompressing takes, and closes the file if File.Input opened it. An Input
// that a walk opened is closed by the walk.
func (in *Input) Close() {
	if !in.lent {
		in.close()
	}
}

func (in *Input) close() {
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
		return 0, LimitError(fmt.Sprintf("%s: %d bytes of input became more than %d, over %d to 1",
			r.format, r.in.n, r.out, r.ratio))
	}
	if err != nil && err != io.EOF {
		if errors.Is(err, zstd.ErrWindowSizeExceeded) {
			err = LimitError("zstd: " + err.Error())
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

// ReadSome reads into buf from byte end on, and returns the new end. It waits for one
// byte, not for a full buffer.
func ReadSome(r io.Reader, buf []byte, end int) (int, error) {
	for range 100 {
		n, err := r.Read(buf[end:])
		if n < 0 || n > len(buf)-end {
			panic("files: reader returned an impossible count")
		}
		if n > 0 || err != nil {
			return end + n, err
		}
	}
	return end, io.ErrNoProgress
}
