package files

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// An archive is a kind of file that holds other files.
type archive uint8

const (
	noArchive archive = iota
	tarArchive
	zipArchive
)

const (
	tarBlock  = 512      // the size of a header of tar
	tarBuffer = 64 << 10 // how much of an archive is read at a time; members are often smaller
)

// archive returns the kind of archive that the input is, by its first bytes. It waits
// for more of a stream only while that may be an archive: a header of tar has a NUL
// and no newline, and text has a newline and no NUL.
func (in *Input) archive() archive {
	for {
		head := in.head
		switch {
		case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
			return zipArchive
		case len(head) >= tarBlock && isTarHeader(head[:tarBlock]):
			return tarArchive
		case len(head) >= tarBlock, bytes.IndexByte(head, '\n') >= 0, in.err != nil, len(head) > 0 && beginsText(head):
			return noArchive
		}
		in.Look()
	}
}

// beginsText reports whether head looks like the beginning of a text format.
func beginsText(head []byte) bool {
	return strings.IndexByte("{[(#;\xef", head[0]) >= 0 && bytes.IndexByte(head, 0) < 0
}

// isTarHeader reports whether block has the checksum of a tar header.
func isTarHeader(block []byte) bool {
	const from, to = 148, 156
	want, err := strconv.ParseInt(strings.Trim(string(block[from:to]), " \x00"), 8, 64)
	if err != nil {
		return false
	}
	sum := int64((to - from) * ' ')
	for i, b := range block {
		if i < from || i >= to {
			sum += int64(b)
		}
	}
	return sum == want
}

// otherCompressions are forms of compression that are recognised but not read.
var otherCompressions = []struct{ magic, name string }{
	{"\xfd7zXZ\x00", "xz"}, {"BZh", "bzip2"}, {"\x04\x22\x4d\x18", "lz4"}, {"7z\xbc\xaf\x27\x1c", "7-Zip"},
	{"Rar!\x1a\x07", "rar"}, {"\x1f\x9d", "compress"}, {"LZIP", "lzip"}, {"\x5d\x00\x00", "lzma"}, {"\xff\x06\x00\x00sNaPpY", "snappy"},
}

// Unsupported returns an error if what has been examined, which is decompressed, is
// compressed or encoded in a way that is not supported, and nil otherwise.
func (in *Input) Unsupported() error {
	head := in.head
	switch {
	case isGzip(head), isZstd(head):
		return fmt.Errorf("compressed twice; only %w, once", ErrCompression)
	case bytes.HasPrefix(head, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(head, []byte("\x00\x00\xfe\xff")):
		return fmt.Errorf("text in UTF-32; only %w", ErrEncoding)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return fmt.Errorf("text in UTF-16; only %w", ErrEncoding)
	}
	for _, c := range otherCompressions {
		if bytes.HasPrefix(head, []byte(c.magic)) {
			return fmt.Errorf("compressed by %s; only %w", c.name, ErrCompression)
		}
	}
	return nil
}

var (
	errNested = errors.New("an archive in an archive; unpack the outer one")
	errLink   = errors.New("a link in an archive, which is not followed")

	errZipStream = errors.New("a zip archive that is compressed or comes from a stream; save it as a plain file")
)

// archive yields the members of an archive. It reports false if the caller stopped.
// Only members that are selected, or below a directory that is, are yielded;
// selected is "" for all.
func (s *source) archive(name string, in *Input, kind archive, selected string) bool {
	members, found := 0, s.found
	each := func(member string, mode fs.FileMode, open func() (*Input, error)) bool {
		member = strings.TrimPrefix(path.Clean("/"+member), "/")
		if mode.IsDir() || selected != "" && member != selected && !strings.HasPrefix(member, selected+"/") {
			return true
		}
		members++
		return s.member(name+"/"+member, mode, open)
	}
	var err error
	goOn := true
	if kind == tarArchive {
		goOn, err = eachOfTar(in, s.opts.Limits, each)
	} else {
		goOn, err = s.eachOfZip(in, each)
	}
	switch {
	case !goOn:
		return false
	case err != nil:
		return s.fault(name, err)
	case members == 0 && selected != "":
		return s.fault(name+"/"+selected, fs.ErrNotExist)
	case members == 0:
		return s.fault(name, fmt.Errorf("%w: no files in the archive", ErrEmpty))
	case s.found == found && s.explicit:
		return s.fault(name, errors.New("the archive holds no histories"))
	}
	return true
}

// eachOfTar calls each for the members of a tar archive, until that returns false.
func eachOfTar(r io.Reader, lim Limits, each func(string, fs.FileMode, func() (*Input, error)) bool) (bool, error) {
	end := &endReader{r: bufio.NewReaderSize(r, tarBuffer)}
	t := tar.NewReader(end)
	head := make([]byte, 0, firstLook) // shared, because a member is read before the next one
	for {
		h, err := t.Next()
		if err == io.EOF && !end.reached {
			return true, nil
		}
		if err == io.EOF {
			return true, errors.New("the archive is cut short: its end marker is missing")
		}
		if err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = fmt.Errorf("the archive is cut short: %w", err)
			}
			return true, err
		}
		mode := h.FileInfo().Mode()
		switch h.Typeflag {
		case tar.TypeXGlobalHeader:
			continue // about the archive
		case tar.TypeLink:
			mode |= fs.ModeSymlink
		}
		if !each(h.Name, mode, func() (*Input, error) { return decompress(&Input{r: t, head: head}, lim) }) {
			return false, nil
		}
	}
}

// An endReader records that the end of r was reached. The end marker of an archive
// comes before that.
type endReader struct {
	r       io.Reader
	reached bool
}

func (e *endReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.reached = e.reached || n == 0 && err == io.EOF
	return n, err
}

// eachOfZip calls each for the members of a zip archive, until that returns false.
// A zip archive has its directory at its end, so it is read from a plain file only.
func (s *source) eachOfZip(in *Input, each func(string, fs.FileMode, func() (*Input, error)) bool) (bool, error) {
	file, size := in.whole()
	if file == nil {
		return true, errZipStream
	}
	z, err := zip.NewReader(file, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return true, err
	}
	rest := size // bytes that belong to no member: the directory
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor())
	for _, f := range z.File {
		open := func() (*Input, error) {
			if f.Flags&1 != 0 {
				return nil, errors.New("zip: the member is encrypted")
			}
			r, err := f.Open()
			if err != nil {
				return nil, err
			}
			lim := s.opts.Limits.Fill()
			packed := &counter{n: int64(min(f.CompressedSize64, uint64(size)))}
			unpacked := NewInput(&ratioReader{r: r, in: packed, ratio: lim.Ratio, after: lim.RatioAfter, format: "zip"})
			m, err := decompress(unpacked, s.opts.Limits)
			if err != nil {
				r.Close()
				return nil, err
			}
			m.closer = r
			return m, nil
		}
		if !each(f.Name, f.Mode(), open) {
			return false, nil
		}
		member := int64(min(f.CompressedSize64, uint64(rest)))
		s.opts.count(member)
		rest -= member
	}
	s.opts.count(rest)
	return true, nil
}

// whole returns the file behind the input and its size, if the input is not compressed
// and can be read at any offset. Otherwise it returns nil.
func (in *Input) whole() (io.ReaderAt, int64) {
	f, ok := in.r.(io.ReaderAt)
	if size := in.Size(); ok && size > 0 {
		return f, size
	}
	return nil, 0
}

// member yields a member of an archive. It can be read until the next file is drawn.
func (s *source) member(name string, mode fs.FileMode, open func() (*Input, error)) bool {
	switch {
	case mode&fs.ModeSymlink != 0:
		return s.fault(name, errLink)
	case !mode.IsRegular():
		return s.fault(name, errNotRegular)
	}
	in, err := open()
	if err != nil {
		return s.fault(name, err)
	}
	in.lent, in.context = true, s.opts.Context
	defer in.close()
	if in.archive() != noArchive {
		return s.fault(name, errNested)
	}
	if err := s.opts.look(Found{Name: name, Input: in, Member: true}); err != nil {
		return s.refused(name, err)
	}
	s.found++
	return s.yield(File{Name: name, opts: s.opts, in: in}, nil)
}
