package source

// Window is the beginning of an input, as detectors see it: decompressed, with
// any wrapper (container log, syslog) taken off each line.
type Window struct {
	Head  []byte   // the first bytes as they are, at most 256 KiB
	Lines [][]byte // complete, non-blank lines, at most 200, without line ends
	Whole bool     // Head is the whole input
	Name  string   // base name of the input; a hint and never more

	objects  []*Object // by line, made when asked for
	outline  *Object   // of Head, made when asked for
	outlined bool
}

// Object is the shape of one JSON object: which paths it has, never its values.
type Object struct {
	kinds map[string]byte
}

// Has reports whether the object has the path, keys joined by dots, array
// elements as [] ("choices.[].delta").
func (o *Object) Has(path string) bool {
	if o == nil {
		return false
	}
	_, ok := o.kinds[path]
	return ok
}

// Kind returns the kind of the value at path: '{', '[', '"', '0', 't' or 'n' for
// null; 0 where there is none.
func (o *Object) Kind(path string) byte {
	if o == nil {
		return 0
	}
	return o.kinds[path]
}

// Objects returns the shapes of those lines that are JSON objects.
func (w *Window) Objects() []*Object {
	if w.objects == nil {
		w.objects = []*Object{}
		for _, line := range w.Lines {
			if o := shapeOf(line); o != nil {
				w.objects = append(w.objects, o)
			}
		}
	}
	return w.objects
}

// Share returns the share, 0 to 1, of lines for which fits is true.
func (w *Window) Share(fits func(line []byte) bool) float64 {
	if len(w.Lines) == 0 {
		return 0
	}
	n := 0
	for _, line := range w.Lines {
		if fits(line) {
			n++
		}
	}
	return float64(n) / float64(len(w.Lines))
}

// ObjectShare returns the share of lines that are JSON objects for which fits is
// true.
func (w *Window) ObjectShare(fits func(*Object) bool) float64 {
	if len(w.Lines) == 0 {
		return 0
	}
	n := 0
	for _, o := range w.Objects() {
		if fits(o) {
			n++
		}
	}
	return float64(n) / float64(len(w.Lines))
}
