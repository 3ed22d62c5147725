package source

import "encoding/json"

// shapeOf returns the paths of a JSON object, or nil for anything else. It runs
// on the few lines of a window only, so the standard library is quick enough;
// objects deeper than maxShapeDepth show their upper levels.
func shapeOf(line []byte) *Object {
	var top map[string]any
	if json.Unmarshal(line, &top) != nil || top == nil {
		return nil
	}
	o := &Object{kinds: map[string]byte{}}
	o.object("", top, 0)
	return o
}

const maxShapeDepth = 6

func (o *Object) object(prefix string, m map[string]any, depth int) {
	for key, v := range m {
		o.value(prefix+key, v, depth)
	}
}

func (o *Object) value(path string, v any, depth int) {
	o.kinds[path] = kindOf(v)
	if depth >= maxShapeDepth {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		o.object(path+".", v, depth+1)
	case []any:
		for _, element := range v[:min(len(v), 8)] {
			o.value(path+".[]", element, depth+1)
		}
	}
}

func kindOf(v any) byte {
	switch v.(type) {
	case map[string]any:
		return '{'
	case []any:
		return '['
	case string:
		return '"'
	case bool:
		return 't'
	case nil:
		return 'n'
	}
	return '0'
}
