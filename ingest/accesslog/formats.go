package accesslog

import (
	"slices"

	"ttdiag/ingest/source"
)

// Formats returns the access logs that are told by their content. [Custom]
// makes one more of a configured log format.
func Formats() []*source.Format {
	return slices.Concat(
		[]*source.Format{nginxText(), ingressText(), apisixText(), envoyText(), istioText(), haproxyText(), traefikText()},
		apacheTexts(),
		[]*source.Format{combined(), agentgatewayText()},
		newAPITexts(),
		ginTexts(),
	)
}
