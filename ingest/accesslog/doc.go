// Package accesslog reads the text access logs of gateways: nginx, Envoy,
// HAProxy, Traefik, Apache, APISIX, agentgateway, and the gateways written in
// Go that print gin lines (New API, One API, sub2api, CLIProxyAPI, gpt-load).
//
// A log format that a user configures (nginx log_format, Envoy operators,
// Apache LogFormat, HAProxy log-format) is compiled into a [layout]: the texts
// between the values, and for each value the slot it fills or none. Only slots
// are ever looked at, and there is no slot for client addresses, users, paths,
// referrers and user agents.
package accesslog
