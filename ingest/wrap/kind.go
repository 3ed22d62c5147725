package wrap

import "strings"

// Kind is one wrapper.
type Kind uint8

// The wrappers.
const (
	Docker     Kind = iota // {"log":"…\n","stream":"stdout","time":"…"}
	Fluent                 // {"log":"…","kubernetes":{…}}: Fluent Bit, Fluentd
	Journald               // {"MESSAGE":"…","__CURSOR":"…"}: journalctl -o json
	Loki                   // {"line":"…","labels":{…}}: logcli -o jsonl, Grafana's export
	CloudWatch             // {"message":"…","ingestionTime":…}: events, one a line
	Vector                 // {"message":"…","source_type":"…"}
	GCP                    // {"textPayload":"…","logName":"…"}
	Beats                  // {"message":"…","@timestamp":"…"}: Filebeat, Logstash
	CRI                    // 2026-08-21T03:15:33.5Z stdout F …
	Kubectl                // [pod/name/container] …: kubectl logs --prefix
	Compose                // name-1  | …: docker compose logs
	Syslog                 // <134>Aug 21 03:19:08 host tag[1]: …: RFC 3164, 5424, journalctl
	LokiText               // 2026-08-21T03:15:33Z {app="x"} …: logcli
	TailText               // 2026-08-21T03:15:33.000000+00:00 stream …: aws logs tail
	Timestamp              // 2026-08-21T03:15:33.123456789Z …: --timestamps, CloudWatch's S3 export
	numKinds   = int(Timestamp) + 1
)

var kindNames = [numKinds]string{
	"docker", "fluent", "journald", "loki", "cloudwatch", "vector", "gcp", "beats", "cri", "kubectl", "compose", "syslog",
	"loki_text", "aws_tail", "timestamp",
}

// String returns the name of the wrapper.
func (k Kind) String() string { return kindNames[k] }

// partial reports whether the wrapper cuts long lines into several.
func (k Kind) partial() bool { return k == Docker || k == CRI }

// Nesting is the wrappers around a line, the outermost first.
type Nesting []Kind

// String returns the names of the wrappers, the outermost first.
func (n Nesting) String() string {
	names := make([]string, len(n))
	for i, k := range n {
		names[i] = k.String()
	}
	return strings.Join(names, ">")
}

// Joins reports whether several lines can make one inner line, so that the
// lines of an input must be unwrapped in order by one [Unwrapper].
func (n Nesting) Joins() bool {
	for _, k := range n {
		if k.partial() {
			return true
		}
	}
	return false
}
