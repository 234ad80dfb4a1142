package codec

import (
	"bytes"
	"io"
	"iter"

	"github.com/leadline/leadline/history"
)

// A large file is cut into blocks of whole lines. Another goroutine parses the next blocks while
// the decoder applies the lines of one block after another. Both take about as long.
const (
	// largeFile is the size from which a file is worth it, in bytes. Smaller ones are read in a
	// tenth of a second, and blocks take 12 MiB of memory.
	largeFile = 32 << 20
	// blocksAhead bounds the blocks that are in memory, and blockLines the lines of each.
	blocksAhead, blockLines = 8, 4096
)

// A block is a part of a file that a parser parses.
type block struct {
	memory []byte // of the text of the lines
	lines  []blockLine
}

// A blockLine is a line of a block. If it is an event without a fault, it is parsed already, as
// seen, event and history of a nativeLine. Otherwise seen is 0.
type blockLine struct {
	text    []byte
	seen    field
	made    int32 // bytes of its values
	event   history.Event
	history history.Value
}

// decodeNativeAhead is decodeNative with another goroutine if the input is a large file.
func decodeNativeAhead(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) {
		d := newNative(r, file, lim, yield)
		if d.budget.size >= largeFile && d.budget.lim.Line >= chunk {
			d.runAhead()
		} else {
			d.run()
		}
		d.scan.pool.release(&d.lines.window)
	}
}

// parseBlocks parses blocks until work is closed.
func parseBlocks(work <-chan *block, parsed chan<- *block) {
	var line nativeLine
	scan := scanner{pool: new(pool)}
	for b := range work {
		for i := range b.lines {
			l := &b.lines[i]
			if len(l.text) == 0 || l.text[0] != '{' {
				continue
			}
			scan.pool.made = 0
			line.read(&scan, l.text)
			if !scan.failed() && line.problem == "" && line.seen&fieldType != 0 && line.seen&^eventFields == 0 {
				l.seen, l.made, l.event, l.history = line.seen, int32(scan.pool.made), line.event, line.history
			}
		}
		parsed <- b
	}
}

// runAhead is run for a large file.
func (d *native) runAhead() {
	var blocks [blocksAhead]block
	work, parsed := make(chan *block, blocksAhead), make(chan *block, blocksAhead)
	defer close(work)
	go parseBlocks(work, parsed)
	ahead := 0
	send := func(b *block) {
		if d.lines.block(b) {
			work <- b
			ahead++
		}
	}
	for more := true; more; more = d.step() { // step reads a line that is long, or the last one
		for i := range blocks {
			send(&blocks[i])
		}
		for ; ahead > 0; ahead-- {
			b := <-parsed
			if !d.apply(b) {
				return
			}
			send(b)
		}
	}
}

// apply applies the lines of a block. It reports false when the caller has ended.
func (d *native) apply(b *block) bool {
	for i := range b.lines {
		l := &b.lines[i]
		d.lines.line++
		if l.seen == 0 {
			d.take(l.text, true)
		} else {
			if d.line.seen&^eventFields != 0 {
				d.line.reset()
			}
			d.scan.pool.made += int64(l.made)
			d.line.seen, d.line.problem, d.line.event, d.line.history = l.seen, "", l.event, l.history
			d.handle(len(l.text))
		}
		if d.over || d.out.stopped {
			return false
		}
	}
	return true
}

// block moves lines that have been read into b, in exchange for its memory. It
// reports false if the next line is not one of at most a chunk, with a newline.
func (l *lineReader) block(b *block) bool {
	if l.err == nil && l.end-l.start < chunk {
		l.fill(l.limit)
	}
	unread, length := l.buf[l.start:l.end], 0
	for b.lines = b.lines[:0]; len(b.lines) < blockLines; {
		n := bytes.IndexByte(unread[length:min(len(unread), chunk)], '\n')
		if n < 0 {
			break
		}
		b.lines = append(b.lines, blockLine{text: unread[length : length+n]})
		length += n + 1
	}
	if length == 0 {
		return false
	}
	next := b.memory
	if len(next) < max(chunk, len(unread)) {
		next = make([]byte, max(chunk, len(unread)))
	}
	b.memory, l.buf, l.start, l.end = l.buf, next, 0, copy(next, unread[length:])
	return true
}
