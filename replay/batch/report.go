package batch

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Report presents the results of a batch to other programs.
type Report interface {
	// Add adds a result. Results come in the order of the input.
	Add(e *Entry, o *Outcome) error
	// Close completes the report. complete is false if the batch was stopped before its
	// end.
	Close(complete bool) error
}

// Line returns the line of the file that the outcome of an entry is about, or 0.
func Line(e *Entry, o *Outcome) int {
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

// A junit is a report in JUnit XML. The format has the totals first, so the test cases
// are in a temporary file until the end.
type junit struct {
	file   *WholeFile
	body   *os.File
	out    *bufio.Writer
	counts [len(statusNames)]int
	start  time.Time
}

// NewJUnit creates a report in JUnit XML, which Close writes to the named file. Each
// entry is a test case. It is a failure if it is not linearizable, and an error if it is
// unknown or invalid.
func NewJUnit(name string) (Report, error) {
	file, err := CreateWhole(name)
	if err != nil {
		return nil, err
	}
	body, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if err != nil { // as for /dev/stdout
		body, err = os.CreateTemp("", "leadline.*.part")
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	// If the system allows it, the file is removed while it is open, so that nothing is
	// left if the process is killed.
	_ = os.Remove(body.Name())
	return &junit{file: file, body: body, out: bufio.NewWriter(body), start: time.Now()}, nil
}

func (j *junit) Add(e *Entry, o *Outcome) error {
	j.counts[o.Status]++
	name := e.ID()
	if name == "" {
		name = fmt.Sprintf("%s %d", filepath.Base(e.File), e.Number+1)
	}
	fmt.Fprintf(j.out, "<testcase classname=%s name=%s time=\"%.6f\">", attribute(e.File), attribute(name), o.elapsed().Seconds())
	if o.Status != Linearizable {
		kind := "error"
		if o.Status == NotLinearizable {
			kind = "failure"
		}
		where := e.File
		if line := Line(e, o); line > 0 {
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

func (j *junit) Close(complete bool) error {
	err := errors.Join(j.file.Finish(j.finish(complete)), j.body.Close())
	if removed := os.Remove(j.body.Name()); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

func (j *junit) finish(complete bool) error {
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

// SARIFResults bounds the number of results in a SARIF report; GitHub refuses longer
// ones.
const SARIFResults = 25_000

// A sarif is a report in SARIF 2.1.0.
type sarif struct {
	file *WholeFile
	out  *bufio.Writer
	n    int
	more int // results that are left out
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID    string    `json:"id"`
	Short sarifText `json:"shortDescription"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

type sarifPhysical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region *sarifRegion `json:"region,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
	Logical  []sarifName   `json:"logicalLocations,omitempty"`
}

type sarifName struct {
	Name string `json:"name"`
}

type sarifResult struct {
	Rule         string            `json:"ruleId"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

var sarifRules = []sarifRule{
	{NotLinearizable.String(), sarifText{"No order of the operations that respects real time gives the recorded results. With --order program, it need only respect the order within each process."}},
	{Unknown.String(), sarifText{"The history was not decided within the bounds."}},
	{Invalid.String(), sarifText{"The file or the history is faulty and was not checked."}},
	{Internal.String(), sarifText{"A fault of leadline."}},
}

// NewSARIF creates a report in SARIF 2.1.0 about the entries that are not linearizable.
func NewSARIF(name, version string) (Report, error) {
	file, err := CreateWhole(name)
	if err != nil {
		return nil, err
	}
	s := &sarif{file: file, out: bufio.NewWriter(file)}
	fmt.Fprintf(s.out, "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{"+
		"\"tool\":{\"driver\":{\"name\":\"leadline\",\"informationUri\":\"https://github.com/leadline/leadline\",\"version\":%s,\"rules\":%s}},\n\"results\":[",
		appendJSON(nil, version), appendJSON(nil, sarifRules))
	return s, nil
}

func (s *sarif) Add(e *Entry, o *Outcome) error {
	if o.Status == Linearizable {
		return nil
	}
	if s.n == SARIFResults {
		s.more++
		return nil
	}
	r := sarifResult{Rule: o.Status.String(), Level: "error", Message: sarifText{message(e, o)}, Locations: make([]sarifLocation, 1)}
	if o.Status == Unknown {
		r.Level = "warning"
	}
	at := &r.Locations[0]
	at.Physical.Artifact.URI = (&url.URL{Path: filepath.ToSlash(e.File)}).String()
	if line := Line(e, o); line > 0 {
		at.Physical.Region = &sarifRegion{line}
	}
	if id := e.ID(); id != "" {
		at.Logical = []sarifName{{id}}
	}
	if e.History != nil {
		content := Content(e.History)
		r.Fingerprints = map[string]string{"leadlineContent/v1": hex.EncodeToString(content[:])}
	}
	separator := ",\n"
	if s.n == 0 {
		separator = "\n"
	}
	s.n++
	_, err := s.out.Write(appendJSON([]byte(separator), r))
	return err
}

func (s *sarif) Close(complete bool) error {
	i := sarifInvocation{Successful: complete}
	if s.more > 0 {
		i.Notifications = append(i.Notifications, sarifNotification{"warning", sarifText{fmt.Sprintf("%d more results are left out", s.more)}})
	}
	if !complete {
		i.Notifications = append(i.Notifications, sarifNotification{"error", sarifText{"the batch was stopped before its end"}})
	}
	fmt.Fprintf(s.out, "],\n\"invocations\":[%s]}]}\n", appendJSON(nil, i))
	return s.file.Finish(s.out.Flush())
}

// Annotations bounds the number of annotations of each level: GitHub shows no more for
// one step.
const Annotations = 10

// annotations writes workflow commands of GitHub Actions.
type annotations struct {
	w    io.Writer
	seen map[string]int // by level
}

// NewAnnotations returns a report that writes an annotation of GitHub Actions to w for
// each entry that is not linearizable.
func NewAnnotations(w io.Writer) Report { return &annotations{w, map[string]int{}} }

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// printable replaces control characters, which reach the terminal, except for line ends.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\r' && r != '\n' {
			return utf8.RuneError
		}
		return r
	}, text)
}

func (a *annotations) Add(e *Entry, o *Outcome) error {
	level := "error"
	switch o.Status {
	case Linearizable:
		return nil
	case Unknown:
		level = "warning"
	}
	if a.seen[level]++; a.seen[level] > Annotations {
		return nil
	}
	line := ""
	if n := Line(e, o); n > 0 {
		line = fmt.Sprintf(",line=%d", n)
	}
	_, err := fmt.Fprintf(a.w, "::%s file=%s%s,title=leadline::%s\n", level, escapeProperty.Replace(printable(e.File)), line,
		escapeData.Replace(printable(e.Place()+": "+message(e, o))))
	return err
}

func (a *annotations) Close(complete bool) error {
	for _, level := range []string{"error", "warning"} {
		if more := a.seen[level] - Annotations; more > 0 {
			if _, err := fmt.Fprintf(a.w, "::notice title=leadline::%d more results of level %s\n", more, level); err != nil {
				return err
			}
		}
	}
	if !complete {
		_, err := fmt.Fprintln(a.w, "::warning title=leadline::the batch was stopped before its end")
		return err
	}
	return nil
}
