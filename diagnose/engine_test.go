package diagnose

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// TestEngineIsSafeForConcurrentUse judges the same batches from several
// goroutines; every one must find the same.
func TestEngineIsSafeForConcurrentUse(t *testing.T) {
	batches := randomBatches(rand.New(rand.NewPCG(3, 3)), 2000)
	engine := New(thresholdSets(t)[1])
	var want []*Verdicts
	for _, b := range batches {
		want = append(want, New(thresholdSets(t)[1]).Classify(b))
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for k, b := range batches {
				v := engine.Classify(b)
				if !slices.Equal(v.Class, want[k].Class) || !slices.Equal(v.AlsoSlow, want[k].AlsoSlow) || !slices.Equal(v.Fired, want[k].Fired) {
					t.Errorf("batch %d is judged differently", k)
				}
				v.Diagnosis(0)
				v.Release()
			}
		})
	}
	group.Wait()
}
