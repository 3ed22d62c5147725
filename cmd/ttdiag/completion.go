package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCmd prints a completion script.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help says how to use the script.
func (completionCmd) Help() string {
	return `bash: source <(ttdiag completion bash)

zsh: source <(ttdiag completion zsh)

fish: ttdiag completion fish | source`
}

// Run executes the command.
func (c *completionCmd) Run(s std, model *kong.Application) error {
	words := completions(model.Node, nil)
	switch c.Shell {
	case "bash":
		return writeOut(s, bashScript(words), nil)
	case "zsh":
		return writeOut(s, "autoload -U +X bashcompinit && bashcompinit\n"+bashScript(words), nil)
	}
	return writeOut(s, fishScript(words), nil)
}

// completion is what may follow one path of commands.
type completion struct {
	path     []string
	commands []named
	flags    []named
}

type named struct {
	name, help string
	values     []string // of an enum
	takes      bool     // a value follows
}

func completions(node *kong.Node, path []string) []completion {
	one := completion{path: path}
	var out []completion
	for _, child := range node.Children {
		if child.Hidden || child.Type != kong.CommandNode {
			continue
		}
		one.commands = append(one.commands, named{name: child.Name, help: child.Help})
		out = append(out, completions(child, append(slices.Clone(path), child.Name))...)
	}
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			flag := named{name: f.Name, help: f.Help, takes: !f.IsBool()}
			for _, v := range f.EnumSlice() {
				if v != "" {
					flag.values = append(flag.values, v)
				}
			}
			one.flags = append(one.flags, flag)
		}
	}
	return append([]completion{one}, out...)
}

// bashScript finds the longest path of commands typed so far, and offers what
// may follow it; files where it offers nothing.
func bashScript(list []completion) string {
	var b strings.Builder
	b.WriteString("_ttdiag() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path= word\n")
	b.WriteString("  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    case \"$path $word\" in\n")
	for _, c := range list[1:] {
		fmt.Fprintf(&b, "      %q) path=%q ;;\n", strings.TrimRight(" "+strings.Join(c.path[:len(c.path)-1], " "), " ")+" "+c.path[len(c.path)-1], " "+strings.Join(c.path, " "))
	}
	b.WriteString("    esac\n  done\n  case \"$prev\" in\n")
	for name, values := range enums(list) {
		fmt.Fprintf(&b, "    --%s) COMPREPLY=($(compgen -W %q -- \"$cur\")); return ;;\n", name, strings.Join(values, " "))
	}
	b.WriteString("  esac\n  local words=\n  case \"$path\" in\n")
	for _, c := range list {
		var words []string
		for _, w := range c.commands {
			words = append(words, w.name)
		}
		for _, w := range c.flags {
			words = append(words, "--"+w.name)
		}
		pattern := ""
		if len(c.path) > 0 {
			pattern = " " + strings.Join(c.path, " ")
		}
		fmt.Fprintf(&b, "    %q) words=%q ;;\n", pattern, strings.Join(words, " "))
	}
	b.WriteString("  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n" +
		"  [[ $cur != -* && ${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- \"$cur\"))\n}\n" +
		"complete -o filenames -F _ttdiag ttdiag\n")
	return b.String()
}

// enums yields the flags with a fixed set of values, in order of their names.
func enums(list []completion) func(func(string, []string) bool) {
	values := map[string][]string{}
	for _, c := range list {
		for _, f := range c.flags {
			if len(f.values) > 0 {
				values[f.name] = f.values
			}
		}
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	return func(yield func(string, []string) bool) {
		for _, name := range names {
			if !yield(name, values[name]) {
				return
			}
		}
	}
}

func fishScript(list []completion) string {
	var b strings.Builder
	for _, c := range list {
		when := "__fish_use_subcommand"
		if len(c.path) > 0 {
			when = "__fish_seen_subcommand_from " + c.path[len(c.path)-1]
		}
		for _, w := range c.commands {
			fmt.Fprintf(&b, "complete -c ttdiag -f -n %s -a %s -d %s\n", fishQuote(when), w.name, fishQuote(w.help))
		}
		for _, w := range c.flags {
			line := fmt.Sprintf("complete -c ttdiag -n %s -l %s -d %s", fishQuote(when), w.name, fishQuote(w.help))
			switch {
			case len(w.values) > 0:
				line += " -x -a " + fishQuote(strings.Join(w.values, " "))
			case w.takes:
				line += " -r"
			}
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
