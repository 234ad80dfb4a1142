package main

import (
	"errors"
	"fmt"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/replay/simulate"
	"github.com/leadline/leadline/replay/spec"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// shells are the shells that completion supports.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func setupCompletion(*pflag.FlagSet) func(streams, []string) int {
	return func(s streams, args []string) int {
		if len(args) != 1 {
			return fail(s, "completion", errors.New("the name of a shell is needed: bash, zsh, fish or powershell"))
		}
		root := newRoot(s, new(int))
		var err error
		switch args[0] {
		case "bash":
			err = root.GenBashCompletionV2(s.out, true)
		case "zsh":
			err = root.GenZshCompletion(s.out)
		case "fish":
			err = root.GenFishCompletion(s.out, true)
		case "powershell":
			err = root.GenPowerShellCompletionWithDesc(s.out)
		default:
			return fail(s, "completion", fmt.Errorf("no script for %q%s", args[0], suggest(args[0], shells, "")))
		}
		if err != nil {
			return s.failed("completion", err)
		}
		return statusOK
	}
}

// complete returns the possible arguments of the command, other than files.
func (c command) complete(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	switch c.name {
	case "models":
		return modelNames(), cobra.ShellCompDirectiveNoFileComp
	case "completion":
		return shells, cobra.ShellCompDirectiveNoFileComp
	case "help":
		return helpTopics(), cobra.ShellCompDirectiveNoFileComp
	}
	if c.args == "" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// completeFlags completes the values of a command's flags where they are a few words.
func completeFlags(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		// The only error is a flag that the command does not have.
		_ = c.RegisterFlagCompletionFunc(f.Name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			if words := flagWords(f); words != nil {
				return words, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		})
	})
}

// unquoteUsages removes the backquotes around the placeholders in the help of flags, which
// shells would show.
func unquoteUsages(root *cobra.Command) {
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) })
	}
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
	case "format":
		for _, format := range codec.Formats() {
			names = append(names, format.Name)
		}
	case "subject":
		names = append(names, "all")
		for _, o := range subject.All() {
			names = append(names, o.Class.Name)
		}
	}
	return names
}

func modelNames() []string {
	var names []string
	for _, e := range spec.All() {
		names = append(names, e.Name)
	}
	return names
}
