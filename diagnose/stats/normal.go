package stats

import "math"

// Confidence is that of every interval in this package, alpha what it leaves
// at each end.
const (
	Confidence = 0.95

	alpha = (1 - Confidence) / 2
)

// normalQuantile returns z with P(Z ≤ z) = p for a standard normal Z.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// normalTwoSided returns P(|Z| ≥ |z|).
func normalTwoSided(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }
