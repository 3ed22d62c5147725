package rules

import (
	"errors"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// File is what a configuration file says of the rules. The zero value says
// nothing.
//
//	rule:
//	  headers_ms: 2500
//	overrides:
//	  - model: "o3*"
//	    workload: agent
//	    rule:
//	      response_to_text_ms: 20000
type File struct {
	Rule      []Setting
	Overrides []Override
}

// FileError is a mistake in a configuration file and where it stands, both
// counted from 1.
type FileError struct {
	Line, Column int
	Err          error
}

func (e *FileError) Error() string { return fmt.Sprintf("%d:%d: %v", e.Line, e.Column, e.Err) }

// Unwrap returns the mistake without its place.
func (e *FileError) Unwrap() error { return e.Err }

// Mistakes of a configuration file, inside a FileError.
var (
	ErrUnknownKey   = errors.New("unknown key")
	ErrDuplicateKey = errors.New("key set twice")
	ErrShape        = errors.New("wrong kind of value")
	ErrSyntax       = errors.New("not YAML")
)

// ParseFile reads a configuration file, strictly: a key that is unknown or set
// twice is an error with its place. Top-level keys of others are skipped. Errors
// are a *FileError.
func ParseFile(data []byte, others ...string) (File, error) {
	var f File
	doc, err := parser.ParseBytes(data, 0)
	if err != nil {
		return f, syntaxError(err)
	}
	for i, d := range doc.Docs {
		if d.Body == nil {
			continue
		}
		if i > 0 {
			return File{}, at(d.Body, fmt.Errorf("%w: a second document", ErrShape))
		}
		if err := f.read(d.Body, others); err != nil {
			return File{}, err
		}
	}
	return f, nil
}

func syntaxError(err error) error {
	e := &FileError{Line: 1, Column: 1, Err: ErrSyntax}
	var known yaml.Error
	if errors.As(err, &known) {
		e.Err = fmt.Errorf("%w: %s", ErrSyntax, known.GetMessage())
		if t := known.GetToken(); t != nil && t.Position != nil {
			e.Line, e.Column = t.Position.Line, t.Position.Column
		}
	}
	return e
}

func at(n ast.Node, err error) error {
	e := &FileError{Line: 1, Column: 1, Err: err}
	if t := n.GetToken(); t != nil && t.Position != nil {
		e.Line, e.Column = t.Position.Line, t.Position.Column
	}
	return e
}

func (f *File) read(body ast.Node, others []string) error {
	return eachKey(body, func(key string, n *ast.MappingValueNode) (err error) {
		switch {
		case key == "rule":
			f.Rule, err = readRule(n.Value)
		case key == "overrides":
			f.Overrides, err = readOverrides(n.Value)
		case !slices.Contains(others, key):
			err = at(n.Key, fmt.Errorf("%w %q", ErrUnknownKey, key))
		}
		return err
	})
}

// eachKey calls read for the keys of a mapping in their order. Nothing at all is
// an empty mapping.
func eachKey(n ast.Node, read func(string, *ast.MappingValueNode) error) error {
	var list []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		list = n.Values
	case *ast.MappingValueNode:
		list = []*ast.MappingValueNode{n}
	case *ast.NullNode, *ast.CommentGroupNode:
	default:
		return at(n, fmt.Errorf("%w: want keys with values", ErrShape))
	}
	seen := map[string]bool{}
	for _, v := range list {
		key, ok := scalar(v.Key)
		if !ok {
			return at(v.Key, fmt.Errorf("%w: want a plain key", ErrShape))
		}
		if seen[key] {
			return at(v.Key, fmt.Errorf("%w: %q", ErrDuplicateKey, key))
		}
		seen[key] = true
		if err := read(key, v); err != nil {
			return err
		}
	}
	return nil
}

// scalar returns the text of a plain text or number.
func scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode, *ast.FloatNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func readRule(n ast.Node) ([]Setting, error) {
	var list []Setting
	err := eachKey(n, func(key string, v *ast.MappingValueNode) error {
		p, ok := ParamKeyed(key)
		if !ok || key == p.Key() {
			return at(v.Key, fmt.Errorf("%w %q under rule", ErrUnknownKey, key))
		}
		text, ok := scalar(v.Value)
		if !ok {
			return at(v.Value, fmt.Errorf("%w: want a number", ErrShape))
		}
		s, err := parseValue(p, text)
		if err != nil {
			return at(v.Value, err)
		}
		list = append(list, s)
		return nil
	})
	return list, err
}

func readOverrides(n ast.Node) ([]Override, error) {
	if _, ok := n.(*ast.NullNode); ok {
		return nil, nil
	}
	items, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, at(n, fmt.Errorf("%w: want a list", ErrShape))
	}
	if len(items.Values) > MaxOverrides {
		return nil, at(n, fmt.Errorf("%w: more than %d overrides", ErrShape, MaxOverrides))
	}
	var list []Override
	for _, item := range items.Values {
		o, err := readOverride(item)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

func readOverride(item ast.Node) (Override, error) {
	var o Override
	err := eachKey(item, func(key string, v *ast.MappingValueNode) (err error) {
		switch key {
		case "rule":
			o.Set, err = readRule(v.Value)
			return err
		case "model", "workload":
		default:
			return at(v.Key, fmt.Errorf("%w %q in an override", ErrUnknownKey, key))
		}
		text, ok := scalar(v.Value)
		if !ok || text == "" {
			return at(v.Value, fmt.Errorf("%w: want a text", ErrShape))
		}
		if key == "model" {
			o.Model = text
		} else {
			o.Workload = text
		}
		return nil
	})
	if err == nil && (o.Model == "" && o.Workload == "" || len(o.Set) == 0) {
		err = at(item, fmt.Errorf("%w: an override wants model or workload, and rule", ErrShape))
	}
	return o, err
}
