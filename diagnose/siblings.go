package diagnose

import (
	"sync"
	"sync/atomic"

	"ttdiag/diagnose/stats"
)

// siblings is what tallies share that count parts of the same records: whether
// something is too much must not depend on which of them counted what.
type siblings struct {
	exact    int64            // values that a sample keeps
	followed int64            // attempts that are followed
	attempts atomic.Int64     // with a request id
	telling  [64]atomic.Int64 // of them, those that tell something, by the zeros at the end of the id's hash

	mu     sync.Mutex
	crowds map[string]map[poolKey][]stats.Crowd // by group
	room   int64                                // bytes for groups; 0 is no limit
	taken  int64                                // of room
	rows   map[string]int64                     // records of each group that is kept
	beyond string                               // once groups were given up: the first key that was
}

// newSiblings splits memory among what grows with the records: a quarter for the
// values of the whole, a quarter for groups, an eighth for attempts. The rest is
// for batches and for garbage.
func newSiblings(memory int64) *siblings {
	s := &siblings{exact: stats.ExactLimit, followed: followLimit, crowds: map[string]map[poolKey][]stats.Crowd{}}
	if memory > 0 {
		const least = 1 << 12
		s.exact = min(s.exact, max(memory/4/recordBytes(), least))
		s.followed = min(s.followed, max(memory/8/attemptBytes, least))
		s.room, s.rows = memory/4, map[string]int64{}
	}
	return s
}

// countAttempts counts n attempts with a request id, and those of them that tell
// something, by the zeros at the end of the id's hash.
func (s *siblings) countAttempts(n int64, telling *[64]int64) {
	s.attempts.Add(n)
	for zeros, some := range telling {
		if some > 0 {
			s.telling[zeros].Add(some)
		}
	}
}

// halvings returns how often the requests have to be halved, by the zeros at the
// end of their hash, so that not too many of the attempts that tell something
// are left.
func (s *siblings) halvings() int {
	left := int64(0)
	for zeros := len(s.telling) - 1; zeros >= 0; zeros-- {
		if left += s.telling[zeros].Load(); left > s.followed {
			return zeros + 1
		}
	}
	return 0
}

const (
	attemptBytes = 32
	groupBytes   = 24 << 10 // of a group with one record
)

// recordBytes is what one record takes in the samples of a cell.
func recordBytes() int64 { return 4 * int64(len(summaryMetrics)) }

// crowd returns what the samples of one pool of one group are counted by.
func (s *siblings) crowd(group string, pool poolKey) []stats.Crowd {
	s.mu.Lock()
	defer s.mu.Unlock()
	pools := s.crowds[group]
	if pools == nil {
		pools = map[poolKey][]stats.Crowd{}
		s.crowds[group] = pools
	}
	c, ok := pools[pool]
	if !ok {
		c = stats.NewCrowds(len(summaryMetrics), s.exact)
		pools[pool] = c
	}
	return c
}

// forget drops what a group that was given up is counted by.
func (s *siblings) forget(group string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.crowds, group)
}

// charge counts n records of a group, and returns the key from which on groups
// are given up, "" for none. Those are kept whose records, with the records of
// all before them in the order of keys, have room: whatever the order is in which
// records come, the last group is given up as soon as there is too much, and a
// group is the last only when those before it leave no room for it.
func (s *siblings) charge(key string, n int64) (beyond string) {
	if s.room == 0 {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.beyond != "" && key >= s.beyond {
		return s.beyond
	}
	if rows, ok := s.rows[key]; ok {
		s.taken -= s.cost(rows)
	}
	s.rows[key] += n
	s.taken += s.cost(s.rows[key])
	for s.taken > s.room {
		last := ""
		for key := range s.rows {
			last = max(last, key)
		}
		s.taken -= s.cost(s.rows[last])
		delete(s.rows, last)
		s.beyond = last
	}
	return s.beyond
}

func (s *siblings) cost(rows int64) int64 { return groupBytes + min(rows, s.exact)*recordBytes() }

// limit returns the key from which on groups are given up.
func (s *siblings) limit() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.beyond
}
