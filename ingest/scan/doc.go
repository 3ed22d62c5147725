// Package scan reads JSON that lies whole in memory, one line or one document,
// without building it: it checks every byte against RFC 8259 and UTF-8, finds
// the values under a set of wanted paths, and passes over everything else. A
// log holds prompts and keys, so what no path asks for is never copied.
package scan
