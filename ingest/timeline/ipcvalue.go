package timeline

import (
	"math"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// intsOf returns what reads a whole number, a flag or a time of an array; it
// reports false where 64 bits cannot hold it.
func intsOf(a arrow.Array) func(int) (int64, bool) {
	switch a := a.(type) {
	case *array.Int8:
		return wholes(a.Value)
	case *array.Int16:
		return wholes(a.Value)
	case *array.Int32:
		return wholes(a.Value)
	case *array.Int64:
		return wholes(a.Value)
	case *array.Uint8:
		return wholes(a.Value)
	case *array.Uint16:
		return wholes(a.Value)
	case *array.Uint32:
		return wholes(a.Value)
	case *array.Uint64:
		return func(i int) (int64, bool) { v := a.Value(i); return int64(v), v <= math.MaxInt64 }
	case *array.Boolean:
		return func(i int) (int64, bool) {
			if a.Value(i) {
				return 1, true
			}
			return 0, true
		}
	case *array.Date32:
		return func(i int) (int64, bool) { return scaledTicks(int64(a.Value(i)), 24*time.Hour) }
	case *array.Date64:
		return func(i int) (int64, bool) { return scaledTicks(int64(a.Value(i)), time.Millisecond) }
	case *array.Timestamp:
		tick := a.DataType().(*arrow.TimestampType).Unit.Multiplier()
		return func(i int) (int64, bool) { return scaledTicks(int64(a.Value(i)), tick) }
	}
	return nil
}

func wholes[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](at func(int) T) func(int) (int64, bool) {
	return func(i int) (int64, bool) { return int64(at(i)), true }
}

// scaledTicks returns ticks as microseconds; nanoseconds are cut off downwards.
func scaledTicks(v int64, tick time.Duration) (int64, bool) {
	if tick < time.Microsecond {
		q := v / int64(time.Microsecond/tick)
		if v < 0 && v%int64(time.Microsecond/tick) != 0 {
			q--
		}
		return q, true
	}
	by := int64(tick / time.Microsecond)
	if v > math.MaxInt64/by || v < -math.MaxInt64/by {
		return 0, false
	}
	return v * by, true
}

func floatsOf(a arrow.Array) func(int) float64 {
	switch a := a.(type) {
	case *array.Float16:
		return func(i int) float64 { return float64(a.Value(i).Float32()) }
	case *array.Float32:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Float64:
		return a.Value
	}
	return nil
}

func textsIn(a arrow.Array) func(int) []byte {
	switch a := a.(type) {
	case *array.String:
		return func(i int) []byte { return []byte(a.Value(i)) }
	case *array.LargeString:
		return func(i int) []byte { return []byte(a.Value(i)) }
	case *array.StringView:
		return func(i int) []byte { return []byte(a.Value(i)) }
	case *array.BinaryView:
		return a.Value
	case *array.Binary:
		return a.Value
	case *array.LargeBinary:
		return a.Value
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		return func(i int) []byte { return []byte(a.Value(i).ToString(scale)) }
	}
	return nil
}
