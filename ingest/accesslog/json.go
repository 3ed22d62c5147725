package accesslog

import (
	"bytes"

	"ttdiag/ingest/scan"
)

// members calls yield for the members of the object at the start of b: the key
// as it stands between its quotes and the value as it stands. It reports false
// where b holds no object, or anything but blanks after it.
func members(b []byte, yield func(key, value []byte)) bool {
	i := scan.Space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return false
	}
	i = scan.Space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return scan.Space(b, i+1) == len(b)
	}
	for i < len(b) && b[i] == '"' {
		end, _, fault := scan.String(b, i)
		if fault != scan.OK {
			return false
		}
		key := b[i+1 : end-1]
		if i = scan.Space(b, end); i >= len(b) || b[i] != ':' {
			return false
		}
		start := scan.Space(b, i+1)
		if end, fault = scan.Skip(b, start); fault != scan.OK {
			return false
		}
		yield(key, b[start:end])
		i = scan.Space(b, end)
		if i < len(b) && b[i] == '}' {
			return scan.Space(b, i+1) == len(b)
		}
		if i >= len(b) || b[i] != ',' {
			return false
		}
		i = scan.Space(b, i+1)
	}
	return false
}

// plainValue returns the text of a string or the literal of another scalar, nil
// for null and for arrays and objects.
func plainValue(v []byte) []byte {
	switch {
	case len(v) == 0, v[0] == '{', v[0] == '[', string(v) == "null":
		return nil
	case v[0] != '"':
		return v
	}
	v = v[1 : len(v)-1]
	if bytes.IndexByte(v, '\\') >= 0 {
		return scan.Unescape(nil, v)
	}
	return v
}

// elements returns the number of elements of the array v, 0 for anything else.
func elements(v []byte) int64 {
	if len(v) < 2 || v[0] != '[' {
		return 0
	}
	n := int64(0)
	for i := scan.Space(v, 1); i < len(v) && v[i] != ']'; n++ {
		end, fault := scan.Skip(v, i)
		if fault != scan.OK || end <= i {
			return 0
		}
		if i = scan.Space(v, end); i < len(v) && v[i] == ',' {
			i = scan.Space(v, i+1)
		}
	}
	return n
}
