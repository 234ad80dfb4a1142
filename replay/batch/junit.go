package batch

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// lineOf returns the line of the file that the outcome of an entry is about, or 0.
func lineOf(e *Entry, o *Outcome) int {
	h := e.History
	switch {
	case e.Err != nil:
		return Faults(e.Err)[0].Line
	case h == nil:
		return 0
	case o.At >= 0 && int(o.At) < len(h.Ops)+len(h.Ghosts):
		if line := h.Operation(o.At).Line; line > 0 {
			return int(line)
		}
	}
	return h.Line
}

// message describes the outcome of an entry that is not linearizable.
func message(e *Entry, o *Outcome) string {
	switch {
	case o.Status == NotLinearizable && e.History != nil && e.History.IsRelaxed():
		return "not sequentially consistent: " + o.Reason
	case o.Status == NotLinearizable:
		return "not linearizable: " + o.Reason
	case o.Status == Invalid:
		return "invalid: " + o.Reason
	}
	return o.Reason
}

// A JUnit is a report in JUnit XML for other programs. The totals come first in the
// format, so the test cases are in a temporary file until the end.
type JUnit struct {
	file   *WholeFile
	body   *os.File
	out    *bufio.Writer
	counts [len(statusNames)]int
	start  time.Time
}

// NewJUnit creates a report in JUnit XML, which Close writes to the named file. Each
// entry is a test case. It is a failure if it is not linearizable, and an error if it is
// unknown or invalid.
func NewJUnit(name string) (*JUnit, error) {
	file, err := CreateWhole(name)
	if err != nil {
		return nil, err
	}
	body, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if err != nil { // the directory may not allow it, as with /dev/stdout
		body, err = os.CreateTemp("", "leadline.*.part")
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	// If the system allows it, the file is removed while it is open. So no file is left
	// if the process is killed.
	_ = os.Remove(body.Name())
	return &JUnit{file: file, body: body, out: bufio.NewWriter(body), start: time.Now()}, nil
}

// Add adds the result of an entry. Results come in the order of the input.
func (j *JUnit) Add(e *Entry, o *Outcome) error {
	j.counts[o.Status]++
	name := e.ID()
	if name == "" {
		name = fmt.Sprintf("%s %d", filepath.Base(e.File), e.Number+1)
	}
	fmt.Fprintf(j.out, "<testcase classname=%s name=%s time=\"%.6f\">", attribute(e.File), attribute(name), o.Took.Seconds())
	if o.Status != Linearizable {
		kind := "error"
		if o.Status == NotLinearizable {
			kind = "failure"
		}
		where := e.File
		if line := lineOf(e, o); line > 0 {
			where = fmt.Sprintf("%s:%d", e.File, line)
		}
		fmt.Fprintf(j.out, "<%s type=\"%v\" message=%s>", kind, o.Status, attribute(message(e, o)))
		// The next write returns the error of this one.
		_ = xml.EscapeText(j.out, []byte(where+": "+message(e, o)))
		fmt.Fprintf(j.out, "</%s>", kind)
	}
	_, err := j.out.WriteString("</testcase>\n")
	return err
}

// attribute returns text as the value of an XML attribute, in quotes.
func attribute(text string) string {
	var b bytes.Buffer
	b.WriteByte('"')
	_ = xml.EscapeText(&b, []byte(text)) // a bytes.Buffer has no errors
	b.WriteByte('"')
	return b.String()
}

// Close completes the report. complete is false if the batch was stopped before its end.
func (j *JUnit) Close(complete bool) error {
	err := errors.Join(j.file.Finish(j.finish(complete)), j.body.Close())
	if removed := os.Remove(j.body.Name()); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

func (j *JUnit) finish(complete bool) error {
	if err := j.out.Flush(); err != nil {
		return err
	}
	if _, err := j.body.Seek(0, io.SeekStart); err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "localhost"
	}
	tests := 0
	for _, n := range j.counts {
		tests += n
	}
	errs := j.counts[Unknown] + j.counts[Invalid] + j.counts[Internal]
	out := bufio.NewWriter(j.file)
	fmt.Fprintf(out, "%s<testsuites>\n<testsuite name=\"leadline\" package=\"leadline\" id=\"0\" timestamp=\"%s\" hostname=%s "+
		"tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%.3f\">\n<properties><property name=\"complete\" value=\"%v\"/></properties>\n",
		xml.Header, j.start.UTC().Format("2006-01-02T15:04:05"), attribute(host),
		tests, j.counts[NotLinearizable], errs, time.Since(j.start).Seconds(), complete)
	if _, err := io.Copy(out, j.body); err != nil {
		return err
	}
	fmt.Fprint(out, "<system-out/>\n<system-err/>\n</testsuite>\n</testsuites>\n")
	return out.Flush()
}
