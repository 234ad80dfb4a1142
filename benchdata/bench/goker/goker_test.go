package goker

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestExplore explores all kernels, and compares the faults with the places that the suite documents.
func TestExplore(t *testing.T) {
	list, documented := kernels(t), places(t)
	explore(t, copied(t, list, nil), list)
	recorded := readKernels(t, "goker.jsonl")
	for _, k := range list {
		k.compare(documented[k.Kernel])
		if i := slices.IndexFunc(recorded, func(r *kernel) bool { return r.Kernel == k.Kernel }); i >= 0 {
			r := recorded[i]
			k.Repeated, k.Count, k.Profile, k.Profiled = r.Repeated, r.Count, r.Profile, r.Profiled
		}
		t.Logf("%s: %s %s %v %s", k.Kernel, k.Status, k.Fault, k.Places, k.Documented)
	}
	t.Log(totals(list))
	writeKernels(t, "goker.jsonl", list)
}

// TestMended explores kernels that their documented fix mends.
func TestMended(t *testing.T) {
	all, edits := kernels(t), mended(t)
	var list []*kernel
	for _, k := range all {
		if edits[k.Kernel] != nil {
			list = append(list, k)
		}
	}
	if len(list) != len(edits) {
		t.Fatalf("mended.txt has %d kernels, and %d of them exist", len(edits), len(list))
	}
	explore(t, copied(t, list, func(name string, lines []string) {
		for n, text := range edits[name] {
			lines[n-1] = text
		}
	}), list)
	faults := 0
	for _, k := range list {
		faults += count(k.Fault != "")
		t.Logf("%s: %s %s %s", k.Kernel, k.Status, k.Fault, k.Text)
	}
	t.Logf("%d mended kernels, %d with a fault", len(list), faults)
	writeKernels(t, "mended.jsonl", list)
}

// mended reads mended.txt: the new text of lines of each kernel.
func mended(t *testing.T) map[string]map[int]string {
	t.Helper()
	text, err := os.ReadFile("mended.txt")
	if err != nil {
		t.Fatal(err)
	}
	edits := map[string]map[int]string{}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatalf("mended.txt: %q", line)
		}
		if edits[fields[0]] == nil {
			edits[fields[0]] = map[int]string{}
		}
		edits[fields[0]][n] = strings.Join(fields[2:], "")
	}
	return edits
}

// TestRecorded checks the figures of issue 62 on the lines that were recorded.
func TestRecorded(t *testing.T) {
	list, documented := readKernels(t, "goker.jsonl"), places(t)
	reported, at, others := 0, 0, 0
	for _, k := range list {
		was := k.Documented
		if k.compare(documented[k.Kernel]); k.Documented != was {
			t.Errorf("%s: recorded as %q, and places.tsv says %q", k.Kernel, was, k.Documented)
		}
		switch {
		case strings.HasPrefix(k.Kernel, "blocking/"):
			reported += count(k.Fault != "")
			at += count(k.Documented == "some" || k.Documented == "all")
		case !plainRace(k):
			others += count(k.Fault != "")
		}
	}
	if len(list) != 103 || reported < 60 || at < 52 || others < 8 {
		t.Errorf("%d kernels; %d blocking ones reported, %d at their place; %d others reported", len(list), reported, at, others)
	}
	t.Log(totals(list))
	for _, k := range readKernels(t, "mended.jsonl") {
		if k.Fault != "" && !slices.Contains(stillWrong, k.Kernel) {
			t.Errorf("mended %s: %s: %s", k.Kernel, k.Fault, k.Text)
		}
	}
}

// stillWrong are mended kernels with another fault, which the README explains.
var stillWrong = []string{"blocking/grpc/862", "blocking/istio/16224", "blocking/moby/17176"}
