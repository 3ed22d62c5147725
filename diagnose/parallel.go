package diagnose

import (
	"sync"
	"sync/atomic"
)

// each calls do for 0 to n-1, on up to jobs goroutines.
func each(n, jobs int, do func(i int)) {
	if jobs = min(jobs, n); jobs <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range jobs {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
