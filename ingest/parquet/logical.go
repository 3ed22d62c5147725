package parquet

// Physical is the type in which a column's values are stored.
type Physical int32

// The physical types, numbered as in the format.
const (
	Boolean Physical = iota
	Int32
	Int64
	Int96
	Float
	Double
	ByteArray
	FixedLenByteArray
	unknownPhysical
)

func (p Physical) String() string {
	names := [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}
	if p < 0 || int(p) >= len(names) {
		return "unknown"
	}
	return names[p]
}

// Logical is what a column's values mean, as far as this package cares.
// Annotations it does not know leave LogicalNone, and the values as stored.
type Logical uint8

const (
	LogicalNone      Logical = iota
	LogicalString            // UTF-8, ENUM; not validated
	LogicalJSON              // text
	LogicalTimestamp         // delivered in microseconds since the epoch
	LogicalDate              // delivered in microseconds since the epoch
	LogicalTime              // delivered in microseconds since midnight
	LogicalDecimal           // delivered unscaled, see Column.Scale
	LogicalInteger           // whole number, possibly unsigned
	LogicalFloat16           // delivered as float64
	LogicalUUID              // 16 bytes
	LogicalBinary            // BSON, INTERVAL, GEOMETRY, GEOGRAPHY, VARIANT: bytes
	logicalList              // groups only
	logicalMap               // groups only
)

// unit is the length of one stored tick of a time.
type unit uint8

const (
	noUnit unit = iota
	millis
	micros
	nanos
)

type logical struct {
	kind     Logical
	unit     unit
	scale    int32
	unsigned bool
	utc      bool // "adjusted to UTC"; false means local time of no zone
}

// logicalType reads the LogicalType union. Members it does not know are passed
// over and leave the column as if it had no annotation.
func (c *compact) logicalType(l *logical) {
	kinds := [...]Logical{1: LogicalString, 2: logicalMap, 3: logicalList, 4: LogicalString, 5: LogicalDecimal, 6: LogicalDate,
		7: LogicalTime, 8: LogicalTimestamp, 10: LogicalInteger, 12: LogicalJSON, 13: LogicalBinary, 14: LogicalUUID,
		15: LogicalFloat16, 16: LogicalBinary, 17: LogicalBinary, 18: LogicalBinary}
	for id, typ := range c.fields() {
		if id < 1 || id >= len(kinds) || typ != tStruct {
			c.skip(typ)
			continue
		}
		l.kind = kinds[id]
		switch l.kind {
		case LogicalDecimal, LogicalTime, LogicalTimestamp, LogicalInteger:
			c.logicalDetails(l)
		default:
			c.skip(typ)
		}
	}
}

// logicalDetails reads the parameters: field 1 is a scale, "adjusted to UTC"
// or a bit width, field 2 a precision, a time unit or "signed".
func (c *compact) logicalDetails(l *logical) {
	for id, typ := range c.fields() {
		switch {
		case id == 1 && l.kind == LogicalDecimal:
			l.scale = c.int32(typ)
		case id == 1 && l.kind != LogicalInteger:
			l.utc = c.boolean(typ)
		case id == 2 && l.kind == LogicalInteger:
			l.unsigned = !c.boolean(typ)
		case id == 2 && l.kind != LogicalDecimal && c.structure(typ):
			for id, typ := range c.fields() {
				if id >= int(millis) && id <= int(nanos) {
					l.unit = unit(id)
				}
				c.skip(typ)
			}
		default:
			c.skip(typ)
		}
	}
	if l.kind == LogicalTime || l.kind == LogicalTimestamp {
		if l.unit == noUnit {
			l.kind = LogicalNone // a unit of the future: a plain number
		}
	}
}

// fromConverted takes the older annotation, which always means UTC.
func (l *logical) fromConverted(t int32) {
	table := map[int32]logical{
		0: {kind: LogicalString}, 1: {kind: logicalMap}, 2: {kind: logicalMap}, 3: {kind: logicalList}, 4: {kind: LogicalString},
		5: {kind: LogicalDecimal, scale: l.scale}, 6: {kind: LogicalDate},
		7: {kind: LogicalTime, unit: millis, utc: true}, 8: {kind: LogicalTime, unit: micros, utc: true},
		9: {kind: LogicalTimestamp, unit: millis, utc: true}, 10: {kind: LogicalTimestamp, unit: micros, utc: true},
		11: {kind: LogicalInteger, unsigned: true}, 12: {kind: LogicalInteger, unsigned: true},
		13: {kind: LogicalInteger, unsigned: true}, 14: {kind: LogicalInteger, unsigned: true},
		15: {kind: LogicalInteger}, 16: {kind: LogicalInteger}, 17: {kind: LogicalInteger}, 18: {kind: LogicalInteger},
		19: {kind: LogicalJSON}, 20: {kind: LogicalBinary}, 21: {kind: LogicalBinary},
	}
	if v, ok := table[t]; ok {
		*l = v
	}
}
