package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/proof"
	"github.com/leadline/leadline/replay/report"
	"github.com/spf13/pflag"
)

// A proofDir is the directory of --proof, to which certificates are written.
type proofDir struct{ name string }

// open creates the directory. It refuses one that has files, which might be taken for proofs of
// these histories.
func (d *proofDir) open() error {
	if err := os.MkdirAll(d.name, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(d.name)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("--proof: %s has files; certificates need a new or an empty directory", d.name)
	}
	return err
}

// write writes a certificate, in a new file that is called after the file and the history.
func (d *proofDir) write(r *result) error {
	name := strings.Map(func(c rune) rune {
		if strings.ContainsRune("/\\:*?\"<>| \t", c) || c < ' ' {
			return '_'
		}
		return c
	}, filepath.Base(r.File)+"-"+r.ID())
	name = strings.Trim(strings.ToValidUTF8(name[:min(len(name), 120)], ""), "-.")
	if name == "" {
		name = "history"
	}
	for n := 1; ; n++ {
		file := filepath.Join(d.name, name+".proof")
		if n > 1 {
			file = filepath.Join(d.name, fmt.Sprintf("%s-%d.proof", name, n))
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		} else if err != nil {
			return err
		}
		_, err = f.Write(r.certificate)
		return errors.Join(err, f.Close())
	}
}

// text returns what convert prints of a history, with the model of --model. Checking changes results that mean
// the same as others.
func (d *proofDir) text(h *history.History, model string) ([]byte, error) {
	if d.name == "" || h == nil {
		return nil, nil
	}
	named := *h
	if model != "" {
		if err := rename(&named, model); err != nil {
			return nil, err
		}
	}
	var text bytes.Buffer
	err := codec.Encode(&text, &named)
	return text.Bytes(), err
}

// certify returns a certificate for a violation, or why there is none.
func certify(r *batch.Result, text []byte) ([]byte, error) {
	h, e := r.History, r.Verdict.Explanation
	if e == nil || len(e.Core) == 0 {
		return nil, errors.New("no core was found")
	}
	hint := proof.Hint{Until: e.Prefix}
	for _, i := range e.Core { // operations that did not happen have numbers, too
		number := int(i)
		for _, g := range h.Ghosts {
			if g.Call < h.Ops[i].Call {
				number++
			}
		}
		hint.Core = append(hint.Core, number)
	}
	for _, v := range e.Parts {
		hint.Only = append(hint.Only, string(codec.AppendValue(nil, v)))
	}
	return proof.Make(text, hint)
}

func setupVerify(flags *pflag.FlagSet) func(streams, []string) int {
	in := newInput()
	flags.StringVar(&in.model, "model", "", "the `specification` that check was given")
	in.declare(flags)
	return func(s streams, args []string) int {
		if len(args) == 0 || len(args) > 2 || slices.Contains(args, "-") {
			return fail(s, "verify", errors.New("want the file of a certificate, and perhaps that of its history"))
		}
		if err := in.check(args); err != nil {
			return fail(s, "verify", err)
		}
		return verify(s, in, args)
	}
}

// verify checks a certificate, and says what it has not checked.
func verify(s streams, in *input, args []string) int {
	certificate, err := os.ReadFile(args[0])
	if err != nil {
		return s.failed("verify", err)
	}
	var text []byte
	trusted := ""
	if len(args) > 1 {
		if text, trusted, err = in.nativeText(s, args[1], certificate); err != nil {
			return s.failed("verify", err)
		}
	}
	claim, err := proof.Verify(certificate, text)
	if err != nil {
		fmt.Fprintf(s.out, "%s: rejected: %s\n", report.Clean(args[0]), report.Clean(err.Error()))
		return statusNot
	}
	fmt.Fprintf(s.out, "%s: accepted: %s\n%s", report.Clean(args[0]), report.Clean(claim), trusted)
	return statusOK
}

// nativeText returns the history that a certificate is about in leadline's own format, and what
// was trusted on the way: nothing, if the file is what convert printed.
func (in *input) nativeText(s streams, name string, certificate []byte) (text []byte, trusted string, err error) {
	isOf := func(text []byte) bool {
		return bytes.Contains(certificate, fmt.Appendf(nil, "%x", sha256.Sum256(text)))
	}
	if whole, err := os.ReadFile(name); err == nil && isOf(whole) {
		return whole, "", nil
	}
	ctx, restore := output.Interruptible()
	defer restore()
	n := 0
	for e := range in.read(ctx, s, []string{name}, nil) {
		if e.Err != nil {
			in.report(e.File, e.Err)
			continue
		}
		n++
		if in.model != "" {
			if err := rename(e.History, in.model); err != nil {
				return nil, "", err
			}
		}
		var b bytes.Buffer
		if codec.Encode(&b, e.History) == nil && isOf(b.Bytes()) {
			return b.Bytes(), fmt.Sprintf("not checked: that leadline convert read %s as it is (format %s); the certificate is about what it prints\n", report.Clean(name), e.History.Format), nil
		}
	}
	return nil, "", fmt.Errorf("%s: none of its histories (%d) is the one of the certificate, by its SHA-256; was it checked with --model?", name, n)
}
