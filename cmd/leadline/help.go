package main

import (
	"embed"
	"errors"
	"fmt"
	"go/doc/comment"
	"io"
	"slices"
	"strings"

	"github.com/leadline/leadline/replay/spec"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manualFiles has the manual, which is the documentation of this package.
//
//go:embed doc.go doc_batches.go doc_explore.go doc_formats.go doc_logs.go doc_proof.go doc_stress.go doc_versions.go doc_weak.go
var manualFiles embed.FS

// manualNames are the files of the manual in the order in which go doc has them.
var manualNames = []string{"doc.go", "doc_batches.go", "doc_explore.go", "doc_formats.go", "doc_logs.go", "doc_proof.go", "doc_stress.go", "doc_versions.go", "doc_weak.go"}

// A section is the part of the manual below one heading, or before the first one.
type section struct {
	title string // "" before the first heading
	text  []comment.Block
}

// manual parses the manual.
func manual() []section {
	var plain strings.Builder
	for _, name := range manualNames {
		source, err := manualFiles.ReadFile(name)
		if err != nil {
			panic("leadline: " + err.Error())
		}
		text, _, _ := strings.Cut(string(source), "\npackage ")
		for line := range strings.Lines(text + "\n\n") {
			plain.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "//"), " "))
		}
	}
	sections := []section{{}}
	for _, block := range new(comment.Parser).Parse(plain.String()).Content {
		if h, ok := block.(*comment.Heading); ok {
			sections = append(sections, section{title: printed(h)})
		}
		last := &sections[len(sections)-1]
		last.text = append(last.text, block)
	}
	return sections
}

// printed returns the text of blocks, in lines of any length.
func printed(blocks ...comment.Block) string {
	p := comment.Printer{TextWidth: -1}
	text := string(p.Text(&comment.Doc{Content: blocks}))
	return strings.TrimSpace(strings.TrimPrefix(text, "# "))
}

// write writes the section for people.
func (c section) write(w io.Writer) {
	p := comment.Printer{TextWidth: textWidth(w), TextCodePrefix: "    "}
	// A failed write is reported by run.
	_, _ = w.Write(p.Text(&comment.Doc{Content: c.text}))
}

// topicOf maps commands and topics to headings of the manual with another name.
var topicOf = map[string]string{
	"family": "families", "convert": "formats", "map": "logs of", "mapping": "logs of", "record": "simulated histories",
	"replay": "schedules", "versions": "from etcd", "crashes": "from etcd", "verify": "certificates", "proof": "certificates", "version": "", "manual": "", "help": "", "completion": "command line",
}

// find returns the section of the manual whose title begins with the topic, or that
// topicOf names. It is nil if there is none.
func find(topic string) *section {
	topic = strings.ToLower(strings.ReplaceAll(topic, "-", " "))
	if title, ok := topicOf[topic]; ok {
		topic = title
	}
	for _, c := range manual()[1:] {
		if topic != "" && strings.HasPrefix(strings.ToLower(c.title), topic) {
			return &c
		}
	}
	return nil
}

// topics returns the titles of the manual's sections, as arguments of help.
func topics() []string {
	var names []string
	for _, c := range manual()[1:] {
		names = append(names, strings.ReplaceAll(strings.ToLower(c.title), " ", "-"))
	}
	return names
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// setupHelp declares the command that prints the help of a command, or the section of the
// manual about a topic, or both. Without a topic, it lists the commands and topics.
func setupHelp(*pflag.FlagSet) func(streams, []string) int {
	return func(s streams, topic []string) int {
		if len(topic) == 0 {
			usage(s.out)
			return statusOK
		}
		name := strings.Join(topic, " ")
		isCommand := slices.Contains(commandNames(), name)
		about := find(name)
		if !isCommand && about == nil {
			fmt.Fprintf(s.err, "leadline: no help on %q%s; see leadline help\n", name, suggest(name, helpTopics(), ""))
			return statusBad
		}
		if isCommand {
			c, _, _ := newRoot(s, new(int)).Find(topic)
			printHelp(c)
			if about != nil {
				fmt.Fprintln(s.out)
			}
		}
		if about != nil {
			about.write(s.out)
		}
		return statusOK
	}
}

// helpTopics returns the commands and topics that help describes.
func helpTopics() []string {
	names := commandNames()
	for _, topic := range topics() {
		if !slices.Contains(names, topic) {
			names = append(names, topic)
		}
	}
	return names
}

// printHelp prints how a command is used: its examples are those of the manual.
func printHelp(c *cobra.Command) {
	w := c.OutOrStdout()
	if !c.HasParent() {
		usage(w)
		return
	}
	fmt.Fprintf(w, "leadline %s: %s\n\nUsage:\n  %s\n", c.Name(), c.Short, c.UseLine())
	if examples := examples(c.Name()); len(examples) > 0 {
		fmt.Fprintln(w, "\nExamples:")
		for _, line := range examples {
			if command, _, ok := strings.Cut(line, "#"); ok && 2+len(line) > textWidth(w) {
				line = strings.TrimSpace(command)
			}
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	if c.HasAvailableLocalFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s", c.LocalFlags().FlagUsagesWrapped(textWidth(w)))
	}
	if c.Name() == "check" {
		fmt.Fprintln(w)
		section{text: []comment.Block{&comment.Paragraph{Text: []comment.Text{comment.Plain(
			"c= is the most operations that are open at once, cp= the pairs of concurrent operations, and orders are those of all operations that real time allows.")}}}}.write(w)
	}
}

// examples returns the lines "leadline COMMAND ..." of the manual's sections.
// The beginning of the manual is a synopsis.
func examples(command string) []string {
	var lines []string
	for _, s := range manual()[1:] {
		for _, block := range s.text {
			code, ok := block.(*comment.Code)
			if !ok {
				continue
			}
			for line := range strings.Lines(code.Text) {
				if strings.HasPrefix(line, "leadline "+command+" ") {
					lines = append(lines, strings.TrimSpace(line))
				}
			}
		}
	}
	return lines
}

func setupManual(*pflag.FlagSet) func(streams, []string) int {
	return func(s streams, args []string) int {
		if len(args) > 0 {
			return fail(s, "manual", errors.New("takes no arguments; leadline help TOPIC prints one section"))
		}
		for i, c := range manual() {
			if i > 0 {
				fmt.Fprintln(s.out)
			}
			c.write(s.out)
		}
		return statusOK
	}
}

// suggest returns the known name that is closest to an unknown one, as an addition to an
// error message, or "" if none is close. A name is close if it begins with the unknown
// one, or if at most a third of the letters differ.
func suggest(unknown string, known []string, prefix string) string {
	best, bound := "", len(unknown)/3+2
	for _, name := range known {
		d := spec.Distance(unknown, name)
		if len(unknown) > 1 && strings.HasPrefix(name, unknown) {
			d = min(d, 1)
		}
		if d < bound {
			best, bound = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + prefix + best + "?"
}

// suggestFlag returns the flag that is closest to an unknown one, as suggest does.
func suggestFlag(err error, flags *pflag.FlagSet) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	name := unknown.GetSpecifiedName()
	if group := unknown.GetSpecifiedShortnames(); group != "" { // as in -model
		name = group
	}
	var known []string
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	return suggest(name, known, "--")
}
