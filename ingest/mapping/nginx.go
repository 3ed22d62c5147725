package mapping

import "ttdiag/ingest/timeline"

// nginxJSON reads an access log whose log_format writes JSON under the names of
// the variables, or under the common short ones. An unset variable is "" with
// escape=json and "-" without; an attempt that did not get that far is "-" in a
// list. Source: ngx_http_upstream.c, ngx_http_log_module.c.
var nginxJSON = Table{
	Name: "nginx_json", Family: "nginx", Title: "nginx access log in JSON", Vantage: "gateway",
	Match: Match{
		All: []string{"request_time"},
		Any: [][]string{
			{"upstream_response_time"}, {"upstream_header_time"}, {"upstream_status"}, {"upstream_addr"},
			{"status", "time_iso8601"}, {"status", "time_local"}, {"status", "msec"},
		},
		None: []string{"request_type", "llm_time_to_first_token", "channel_id"},
	},
	Absent:    []string{"-", ""},
	StampsEnd: true,
	Fields: []Field{
		{Column: timeline.ColTimestamp, Path: ".msec", Unit: timeline.Second,
			Or: []string{".time_iso8601", ".ts", ".time_local", ".timestamp", `."@timestamp"`, ".time"}},
		{Column: timeline.ColTotalHandler, Path: ".request_time", Unit: timeline.Second,
			Origin: "first byte of the request", Point: "log written after the last byte went out"},
		{Column: timeline.ColUpstreamHeaders, Path: ".upstream_header_time", Read: Last, Unit: timeline.Second, Config: true,
			Origin: "start of the last attempt, connect included", Point: "response headers read"},
		{Column: timeline.ColStatus, Path: ".status"},
		{Column: timeline.ColAttempt, Path: ".upstream_addr", Read: Elements, When: []Cond{contains(".upstream_addr", ":")}},
		{Column: timeline.ColAttempt, Path: ".upstream_status", Read: Elements, When: []Cond{lacks(".upstream_addr")}},
		{Column: timeline.ColRequestID, Path: ".request_id", Or: []string{".http_x_request_id", ".x_request_id", ".rid"}},
		// Without a port it is the name of a group of which no server was live.
		{Column: timeline.ColChannel, Path: ".upstream_addr", Read: Last, When: []Cond{contains(".upstream_addr", ":")}},
	},
	FirstToken: "none: nginx marks response headers, not tokens",
	More: `log_format ttdiag escape=json '{"msec":$msec,"request_id":"$request_id","status":$status,"request_time":$request_time,` +
		`"upstream_addr":"$upstream_addr","upstream_status":"$upstream_status","upstream_header_time":"$upstream_header_time",` +
		`"upstream_response_time":"$upstream_response_time"}'; (quote every upstream variable: it may be empty or a list)`,
}
