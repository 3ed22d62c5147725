package stats

import "sync/atomic"

// A Crowd counts the values of samples that are filled side by side and merged
// at the end. They give up single values together, as soon as all of them have
// more than one sample may keep: each for itself would keep as many. It is safe
// for concurrent use.
type Crowd struct {
	n     atomic.Int64
	limit int64
	_     [48]byte // so that two of them share no cache line
}

// NewCrowds returns n crowds that keep up to limit single values each, at most
// [ExactLimit].
func NewCrowds(n int, limit int64) []Crowd {
	crowds := make([]Crowd, n)
	for i := range crowds {
		crowds[i].limit = min(limit, ExactLimit)
	}
	return crowds
}
