package main

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/benchdata/peers"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
)

// porcupineCommand is the first argument that makes this program run porcupine.
// It checks the histories of a file or directory and prints a line for each,
// like leadline check.
const porcupineCommand = "porcupine"

func runPorcupine(path string, stdout, stderr io.Writer) int {
	out := bufio.NewWriter(stdout)
	for file, err := range codec.Files([]string{path}, codec.Options{}) {
		if err == nil {
			err = checkFile(file, out)
		}
		if err != nil {
			fmt.Fprintf(stderr, "%s: %v\n", filepath.Base(path), err)
			return 2
		}
	}
	if err := out.Flush(); err != nil {
		return 2
	}
	return 0
}

func checkFile(file codec.File, out io.Writer) error {
	for h, err := range file.Histories() {
		if err != nil {
			return err
		}
		q, err := peers.NewQuestion(h)
		if err != nil {
			return err
		}
		q.History = nil // not needed by porcupine
		answer := replay.NotLinearizable
		if porcupine.CheckOperations(q.Model, q.Ops) {
			answer = replay.Linearizable
		}
		if _, err := fmt.Fprintln(out, answer); err != nil {
			return err
		}
	}
	return nil
}
