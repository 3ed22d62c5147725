package mapping

import (
	"sync"

	"ttdiag/ingest/source"
)

// Tables returns the tables of all formats of this package.
func Tables() []*Table {
	return []*Table{
		&nginxJSON, &envoyJSON, &envoyAIGateway, &traefik, &caddy,
		&litellmPayload, &litellmSpendLogs,
		&newAPI, &oneAPI, &oneHub, &laiskyTrace,
		&sub2apiUsage, &sub2apiOps, &sub2apiAccess, &claudeCodeHub,
		&higress, &apisixLogger, &kong, &agentgatewayJSON,
		&aiproxy, &cliProxyAPI, &gptLoad,
		&openRouter, &cloudflare, &helicone, &tensorZero, &bifrost, &portkey,
	}
}

// Formats returns the formats of all tables, and that of a user's own mappings.
func Formats() []*source.Format {
	var list []*source.Format
	for _, t := range Tables() {
		list = append(list, t.format(sync.OnceValue(func() *Plan {
			p, err := Compile(t)
			if err != nil {
				panic(err) // a table is wrong; a test compiles them all
			}
			return p
		})))
	}
	return append(list, mapFormat())
}
