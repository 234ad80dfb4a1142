package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/stress/simulate"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/replay/spec"
	"github.com/spf13/pflag"
)

// shells are the shells that completion supports.
var shells = []string{"bash", "zsh", "fish"}

func setupCompletion(*pflag.FlagSet) func(streams, []string) int {
	return func(s streams, args []string) int {
		if len(args) != 1 {
			return fail(s, "completion", errors.New("the name of a shell is needed: bash, zsh or fish"))
		}
		write, ok := map[string]func(io.Writer){"bash": completeBash, "zsh": completeZsh, "fish": completeFish}[args[0]]
		if !ok {
			return fail(s, "completion", fmt.Errorf("no script for %q%s", args[0], suggest(args[0], shells, "")))
		}
		write(s.out)
		return statusOK
	}
}

// words returns the possible arguments of a command, other than files.
func (c command) words() []string {
	switch c.name {
	case "models":
		return modelNames()
	case "completion":
		return shells
	}
	return nil
}

// takesFiles reports whether arguments of the command are files.
func (c command) takesFiles() bool { return strings.Contains(c.args, "FILE") }

func modelNames() []string {
	var names []string
	for _, e := range spec.All() {
		names = append(names, e.Name)
	}
	return names
}

func formatNames() []string {
	var names []string
	for _, format := range codec.Formats() {
		names = append(names, format.Name)
	}
	return names
}

// flagWords returns the possible values of a flag, or nil if they are not a few words.
func flagWords(f *pflag.Flag) []string {
	if c, ok := f.Value.(*flagkind.Choice); ok {
		return c.Choices
	}
	var names []string
	switch f.Name {
	case "model":
		return modelNames()
	case "simulate":
		return simulate.Models()
	case "format", "from", "to":
		return formatNames()
	case "subject":
		names = append(names, "all")
		for _, o := range subject.All() {
			names = append(names, o.Class.Name)
		}
	}
	return names
}

// visibleFlags returns the flags of a command that its help lists.
func (c command) visibleFlags() []*pflag.Flag {
	var list []*pflag.Flag
	flags, _ := c.flags()
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			list = append(list, f)
		}
	})
	return list
}

// helpTopics returns the commands and topics that help describes.
func helpTopics() []string {
	names := commandNames()[1:]
	for _, topic := range topics() {
		if !slices.Contains(names, topic) {
			names = append(names, topic)
		}
	}
	return names
}

const bashHead = `# Completion of leadline's command lines: source <(leadline completion bash)
_leadline() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=
	# --flag=value is three words.
	if [ "$cur" = = ]; then
		cur=
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	if [ "$COMP_CWORD" = 1 ]; then
		words=%q
	else
		case "${COMP_WORDS[1]} $prev $cur" in
`

const bashTail = `		esac
	fi
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _leadline leadline
`

func completeBash(w io.Writer) {
	fmt.Fprintf(w, bashHead, strings.Join(commandNames(), " "))
	words := func(pattern string, list []string) {
		if len(list) > 0 {
			fmt.Fprintf(w, "\t\t%s) words=%q ;;\n", pattern, strings.Join(list, " "))
		}
	}
	words(`"help "*`, helpTopics())
	for _, c := range commands() {
		var flags []string
		for _, f := range c.visibleFlags() {
			flags = append(flags, "--"+f.Name)
			words(fmt.Sprintf(`"%s --%s "*`, c.name, f.Name), flagWords(f))
			if f.Shorthand != "" {
				words(fmt.Sprintf(`"%s -%s "*`, c.name, f.Shorthand), flagWords(f))
			}
		}
		words(fmt.Sprintf(`"%s "*" -"*`, c.name), flags)
		words(fmt.Sprintf(`"%s "*`, c.name), c.words())
	}
	fmt.Fprint(w, bashTail)
}

// zshQuoted escapes what is special to _arguments, within single quotes.
var zshQuoted = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `:`, `\:`, `'`, `'\''`)

func completeZsh(w io.Writer) {
	fmt.Fprint(w, "#compdef leadline\n# Completion of leadline's command lines: source <(leadline completion zsh), after compinit.\n"+
		"_leadline() {\n\tif (( CURRENT == 2 )); then\n\t\tlocal -a commands=(\n\t\t\t'help:describe a command or a topic'\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "\t\t\t'%s:%s'\n", c.name, zshQuoted.Replace(c.short))
	}
	fmt.Fprint(w, "\t\t)\n\t\t_describe command commands\n\t\treturn\n\tfi\n"+
		"\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $command in\n")
	fmt.Fprintf(w, "\thelp) _arguments '*:topic:(%s)' ;;\n", strings.Join(helpTopics(), " "))
	for _, c := range commands() {
		fmt.Fprintf(w, "\t%s)\n\t\t_arguments", c.name)
		for _, f := range c.visibleFlags() {
			kind, usage := pflag.UnquoteUsage(f)
			action, assign := "", ""
			if kind != "" {
				action, assign = ":"+zshQuoted.Replace(kind)+":_files", "="
				if list := flagWords(f); len(list) > 0 {
					action = ":" + zshQuoted.Replace(f.Name) + ":(" + strings.Join(list, " ") + ")"
				}
			}
			if f.Shorthand != "" {
				fmt.Fprintf(w, " \\\n\t\t\t'-%s[%s]%s'", f.Shorthand, zshQuoted.Replace(usage), action)
			}
			fmt.Fprintf(w, " \\\n\t\t\t'--%s%s[%s]%s'", f.Name, assign, zshQuoted.Replace(usage), action)
		}
		switch {
		case c.takesFiles():
			fmt.Fprint(w, " \\\n\t\t\t'*:file:_files'")
		case len(c.words()) > 0:
			fmt.Fprintf(w, " \\\n\t\t\t'*:word:(%s)'", strings.Join(c.words(), " "))
		}
		fmt.Fprint(w, "\n\t\t;;\n")
	}
	fmt.Fprint(w, "\tesac\n}\n"+
		"if [ \"$funcstack[1]\" = _leadline ]; then _leadline \"$@\"; else compdef _leadline leadline; fi\n")
}

// fishQuoted escapes a string for fish's single quotes.
var fishQuoted = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

func completeFish(w io.Writer) {
	fmt.Fprint(w, "# Completion of leadline's command lines: leadline completion fish | source\n")
	add := func(command, how, words, description string) {
		when := "__fish_use_subcommand"
		if command != "" {
			when = "__fish_seen_subcommand_from " + command
		}
		fmt.Fprintf(w, "complete -c leadline -n '%s'%s", when, how)
		if words != "" {
			fmt.Fprintf(w, " -a '%s'", words)
		}
		if description != "" {
			fmt.Fprintf(w, " -d '%s'", fishQuoted.Replace(description))
		}
		fmt.Fprintln(w)
	}
	add("", " -f", "help", "describe a command or a topic")
	add("help", " -f", strings.Join(helpTopics(), " "), "")
	for _, c := range commands() {
		add("", " -f", c.name, c.short)
		if !c.takesFiles() {
			add(c.name, " -f", strings.Join(c.words(), " "), "")
		}
		for _, f := range c.visibleFlags() {
			kind, usage := pflag.UnquoteUsage(f)
			how, words := " -l "+f.Name, strings.Join(flagWords(f), " ")
			if f.Shorthand != "" {
				how = " -s " + f.Shorthand + how
			}
			switch {
			case words != "":
				how += " -x"
			case kind != "":
				how += " -r"
			}
			add(c.name, how, words, usage)
		}
	}
}
