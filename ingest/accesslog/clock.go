package accesslog

import (
	"bytes"
	"time"

	"ttdiag/ingest/timeline"
)

// clock reads the times of one log. Lines of a busy log share their second, so
// the last date is kept. A clock is used by one goroutine.
type clock struct {
	zone *time.Location
	seen [32]byte // the last date in common log format
	n    int
	us   int64
}

// common reads the date of the common log format, 21/Aug/2026:03:15:33 +0000,
// with or without the zone, and with a fraction after the seconds.
func (c *clock) common(v []byte) (us int64, ok bool) {
	if c.n > 0 && bytes.Equal(v, c.seen[:c.n]) {
		return c.us, true
	}
	if len(v) < 20 || v[2] != '/' || v[6] != '/' || v[11] != ':' {
		return 0, false
	}
	month := monthNamed(v[3:6])
	if month == 0 {
		return 0, false
	}
	iso := make([]byte, 0, 48)
	iso = append(iso, v[7:11]...)
	iso = append(iso, '-', '0'+month/10, '0'+month%10, '-')
	iso = append(iso, v[:2]...)
	iso = append(iso, 'T')
	iso = append(iso, v[12:]...)
	us, ok = timeline.ParseTimestamp(iso, c.zone)
	if ok && len(v) <= len(c.seen) {
		c.n, c.us = copy(c.seen[:], v), us
	}
	return us, ok
}

// monthNamed returns 1 to 12 for an English month of three letters, or 0.
func monthNamed(v []byte) byte {
	const names = "JanFebMarAprMayJunJulAugSepOctNovDec"
	for i := 0; i < len(names); i += 3 {
		if string(v) == names[i:i+3] {
			return byte(i/3) + 1
		}
	}
	return 0
}

// slashed reads 2026/08/21 - 03:15:33, as gin writes it.
func (c *clock) slashed(v []byte) (us int64, ok bool) {
	if len(v) < 21 || v[4] != '/' || v[7] != '/' || string(v[10:13]) != " - " {
		return 0, false
	}
	iso := make([]byte, 0, 40)
	iso = append(iso, v[:4]...)
	iso = append(iso, '-', v[5], v[6], '-', v[8], v[9], 'T')
	iso = append(iso, v[13:]...)
	return timeline.ParseTimestamp(iso, c.zone)
}

// iso reads an ISO 8601 date.
func (c *clock) iso(v []byte) (us int64, ok bool) { return timeline.ParseTimestamp(v, c.zone) }

// stampKind is how a log writes its time.
type stampKind uint8

const (
	stampCommon  stampKind = iota // 21/Aug/2026:03:15:33 +0000
	stampISO                      // 2026-08-21T03:15:33Z
	stampEpoch                    // a number since 1970 in the unit of the slot
	stampPattern                  // by a strftime pattern
)
