package stats

import (
	"slices"
	"testing"
)

// The fifteen p values of the example of Benjamini and Hochberg (1995), of
// which the procedure rejects four at 0.05; adjusted as R's p.adjust does.
func TestBenjaminiHochberg(t *testing.T) {
	p := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459,
		0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1}
	want := []float64{0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.06385714, 0.06385714, 0.0645, 0.0765,
		0.486, 0.58118182, 0.714875, 0.75323077, 0.81321429, 1}
	got := BenjaminiHochberg(p)
	for i := range p {
		if !near(got[i], want[i], 1e-8) {
			t.Errorf("p %v: adjusted %v, want %v", p[i], got[i], want[i])
		}
	}
	slices.Reverse(p)
	back := BenjaminiHochberg(p)
	slices.Reverse(back)
	if !slices.Equal(got, back) {
		t.Error("the order of the questions shows")
	}
	if len(BenjaminiHochberg(nil)) != 0 || BenjaminiHochberg([]float64{0.03})[0] != 0.03 {
		t.Error("no or one question")
	}
}
