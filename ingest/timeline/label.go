package timeline

import "bytes"

// plainLabel returns the part of a label that may be kept: an address loses its
// query, its fragment and its credentials, and bytes that are not UTF-8 become
// the replacement character. Most labels are returned as they are.
func plainLabel(v []byte) []byte {
	if slash := bytes.IndexByte(v, '/'); slash >= 0 {
		if cut := bytes.IndexAny(v[slash:], "?#;"); cut >= 0 {
			v = v[:slash+cut]
		}
		v = withoutCredentials(v)
	}
	return bytes.ToValidUTF8(v, []byte("\uFFFD"))
}

func withoutCredentials(v []byte) []byte {
	scheme := bytes.Index(v, []byte("://"))
	if scheme < 0 {
		return v
	}
	host := v[scheme+3:]
	authority := host
	if end := bytes.IndexByte(host, '/'); end >= 0 {
		authority = host[:end]
	}
	at := bytes.LastIndexByte(authority, '@')
	if at < 0 {
		return v
	}
	return append(append([]byte(nil), v[:scheme+3]...), host[at+1:]...)
}
