package stats

import (
	"cmp"
	"slices"
)

// BenjaminiHochberg returns the p values adjusted for the number of questions,
// in the order given: with those up to q called changed, at most a share q of
// the calls is expected to be false (Benjamini and Hochberg, "Controlling the
// false discovery rate", JRSS B 57, 1995; adjusted as by R's p.adjust).
func BenjaminiHochberg(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	adjusted := make([]float64, len(p))
	least := 1.0
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		least = min(least, p[i]*float64(len(p))/float64(k+1))
		adjusted[i] = least
	}
	return adjusted
}
