package batch

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"
	"sync"
)

// A store is a file of outcomes by key, to which lines are appended. The fields of a
// line, separated by tabs, are: a checksum of what follows, the key, the status, the
// operation that the reason is about, the reason as JSON, and the rest of the line of
// results. Lines that begin with a brace are about the store.
//
// Each line is written by one call. If the process or the machine stopped within a line,
// that line and all after it are removed when the store is opened again.
type store struct {
	file *os.File
	mu   sync.Mutex
	// offsets has the places of lines by the first half of their keys. If two keys share
	// it, one outcome is not found, and that history is checked again.
	offsets map[uint64]int64
	size    int64
	header  int64 // where the last line about the store begins
	cut     int64 // bytes that were cut off
}

const checksumDigits = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errDamaged = errors.New("the line is damaged")

// appendOutcome appends the line of an outcome.
func appendOutcome(dst []byte, k key, o *Outcome) []byte {
	start := len(dst)
	dst = append(dst, "00000000\t"...)
	dst = hex.AppendEncode(dst, k[:])
	dst = append(append(append(dst, '\t'), o.Status.String()...), '\t')
	dst = strconv.AppendInt(dst, int64(o.At), 10)
	dst = appendJSON(append(dst, '\t'), o.Reason)
	dst = append(append(dst, '\t'), o.rest...)
	sum := crc32.Checksum(dst[start+checksumDigits:], castagnoli)
	hex.Encode(dst[start:], binary.BigEndian.AppendUint32(nil, sum))
	return append(dst, '\n')
}

// checkLine reports whether a line, without its newline, is whole, and returns its
// key.
func checkLine(line []byte) (k key, ok bool) {
	const afterKey = checksumDigits + 1 + 2*len(k)
	if len(line) <= afterKey || line[checksumDigits] != '\t' || line[afterKey] != '\t' {
		return k, false
	}
	if _, err := hex.Decode(k[:], line[checksumDigits+1:afterKey]); err != nil {
		return k, false
	}
	sum := binary.BigEndian.AppendUint32(nil, crc32.Checksum(line[checksumDigits:], castagnoli))
	return k, hex.EncodeToString(sum) == string(line[:checksumDigits])
}

// parseOutcome parses a line of a store, without its newline.
func parseOutcome(line []byte) (k key, o *Outcome, err error) {
	k, ok := checkLine(line)
	fields := bytes.SplitN(line, []byte("\t"), 6)
	if !ok || len(fields) < 6 {
		return k, nil, errDamaged
	}
	o = &Outcome{rest: fields[5]}
	at, err := strconv.ParseInt(string(fields[3]), 10, 32)
	if err == nil {
		err = json.Unmarshal(fields[4], &o.Reason)
	}
	if err == nil {
		o.At = int32(at)
		o.Status, err = parseStatus(string(fields[2]))
	}
	return k, o, err
}

func parseStatus(name string) (Status, error) {
	for i, known := range statusNames {
		if name == known {
			return Status(i), nil
		}
	}
	return 0, fmt.Errorf("unknown status %q", name)
}

// load reads the whole file, and calls about for each line about the store. A damaged
// end is not part of the store; the next line overwrites it.
func (s *store) load(about func(line []byte) error) error {
	s.offsets, s.size, s.header = map[uint64]int64{}, 0, 0
	r := bufio.NewReaderSize(io.NewSectionReader(s.file, 0, 1<<62), 1<<16)
	var long []byte
	for {
		line, err := r.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			long = append(long, line...)
			continue
		}
		if long = append(long, line...); err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if text := long[:len(long)-1]; len(text) > 0 && text[0] == '{' {
			if err := about(text); err != nil {
				return err
			}
			s.header = s.size
		} else if k, ok := checkLine(text); ok {
			s.offsets[k.half()] = s.size
		} else {
			break
		}
		s.size += int64(len(long))
		long = long[:0]
	}
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	s.cut = info.Size() - s.size
	return nil
}

// truncate removes a damaged end.
func (s *store) truncate() error {
	if s.cut == 0 {
		return nil
	}
	return s.file.Truncate(s.size)
}

func (k key) half() uint64 { return binary.BigEndian.Uint64(k[:]) }

// get returns the outcome with a key, and where its line is.
func (s *store) get(k key) (*Outcome, int64, bool) {
	s.mu.Lock()
	at, ok := s.offsets[k.half()]
	s.mu.Unlock()
	if !ok {
		return nil, 0, false
	}
	line, err := lineAt(s.file, at)
	if err != nil {
		return nil, 0, false
	}
	found, o, err := parseOutcome(line)
	return o, at, err == nil && found == k
}

// lineAt reads a line without its newline.
func lineAt(f io.ReaderAt, at int64) ([]byte, error) {
	b := make([]byte, 0, 2048)
	for {
		n, err := f.ReadAt(b[len(b):cap(b)], at+int64(len(b)))
		end := bytes.IndexByte(b[len(b):len(b)+n], '\n')
		if end >= 0 {
			return b[:len(b)+end], nil
		}
		if b = b[:len(b)+n]; err != nil {
			return nil, err
		}
		b = append(make([]byte, 0, 4*cap(b)), b...)
	}
}

// append writes a line and returns where it is. s.mu is held.
func (s *store) append(line []byte) (int64, error) {
	n, err := s.file.WriteAt(line, s.size)
	if err != nil {
		return 0, err
	}
	at := s.size
	s.size += int64(n)
	return at, nil
}

// cutText is a remark on what was cut off, or "".
func (s *store) cutText() string {
	if s.cut == 0 {
		return ""
	}
	return fmt.Sprintf("%d bytes at the end are damaged, and what they were about is checked again", s.cut)
}
