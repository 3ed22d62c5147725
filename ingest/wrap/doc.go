// Package wrap takes off what container engines, log shippers and log stores
// put around the lines of a log: Docker's json-file, the lines of Kubernetes'
// runtimes, kubectl and docker compose prefixes, journald, syslog, Loki,
// CloudWatch, Fluent Bit and Vector. Wrappers nest.
//
// How a reader of files uses it: where no format is sure of the lines as they
// are, ask [Detect] for the nesting, show the formats the window of inner lines
// ([Nesting.Inner]), and read with [Nesting.Around] the format that is sure of
// those. The wrapped format takes the physical lines, so that positions stay
// those of the file. Formats must see the bare lines first: a log whose own
// lines start with a time looks like one with a time put before it.
//
// An export that is one JSON document (the answer of Loki or CloudWatch) is a
// [Document]: a stream of inner lines read from the stream of the document.
package wrap
