package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

func Example() {
	var out bytes.Buffer
	status := run([]string{"check", "testdata/example.jsonl"}, os.Stdin, &out, os.Stderr)
	for line := range strings.Lines(out.String()) {
		fields := strings.Split(line, ",") // as cut -d, -f1,2,10
		fmt.Println(fields[0] + "," + fields[1] + "," + fields[9])
	}
	fmt.Println("status", status)
	// Output:
	// {"file":"testdata/example.jsonl","history":"overlapping","verdict":"linearizable"
	// {"file":"testdata/example.jsonl","history":"stale","verdict":"not-linearizable"
	// status 1
}
