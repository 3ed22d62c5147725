package main

import (
	"bytes"
	"slices"
	"testing"

	"github.com/alecthomas/kong"
)

// A command is the same in a model of its own as in that of all commands.
func TestOneCommandsModel(t *testing.T) {
	said := func(whole bool, args ...string) string {
		var c cli
		var out bytes.Buffer
		var grammar any = &c
		var more []kong.Option
		if !whole {
			grammar, more = c.grammar(args)
		}
		if (grammar == any(&c)) != whole && args[0] != "completion" {
			t.Fatalf("%q: not a model of its own", args)
		}
		s := std{out: &out, err: &out}
		_, err := c.parser(t.Context(), s, func(int) {}, grammar, more).Parse(args)
		if err != nil {
			out.WriteString(err.Error())
		}
		return out.String()
	}
	var c cli
	model := c.parser(t.Context(), std{}, func(int) {}, &c, nil).Model
	if len(model.Children) != 13 {
		t.Fatalf("%d commands", len(model.Children))
	}
	for _, command := range model.Children {
		for _, rest := range [][]string{{"--help"}, {"--nope"}, {"--output", "nope"}, {}, {"one", "two"}, {"--version"}} {
			args := slices.Concat([]string{command.Name}, rest)
			if want, got := said(true, args...), said(false, args...); got != want {
				t.Errorf("%q: alone\n%s\namong all\n%s", args, got, want)
			}
		}
	}
}
