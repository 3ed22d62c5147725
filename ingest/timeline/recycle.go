package timeline

// Recycle gives the memory of a batch that nobody looks at any more to the
// builder for its next rows. The batch must be one that Flush of this builder
// returned, as it was; batches made from it share its memory. Without Recycle
// the memory is the collector's.
func (b *Builder) Recycle(batch *Batch) { b.spare = batch }

func (b *Builder) takeNumbers(c Column) []int64 {
	if b.spare != nil {
		if v := b.spare.num[c].Values; cap(v) >= b.room {
			b.spare.num[c] = Numbers{}
			return cleared(v, b.room)
		}
	}
	return make([]int64, b.room)
}

func (b *Builder) takeCodes(c Column) []int32 {
	if b.spare != nil {
		t := &b.spare.text[c-FirstText]
		if v := t.Codes; b.spare.owned.Has(c) && cap(v) >= b.room {
			*t = Texts{}
			return cleared(v, b.room)
		}
	}
	return make([]int32, b.room)
}

func (b *Builder) takeIDs() idColumn {
	if b.spare != nil && b.spare.id.Offsets != nil {
		old := b.spare.id
		b.spare.id = IDs{}
		return idColumn{offsets: old.Offsets[:0], data: old.Data[:0]}
	}
	return idColumn{offsets: make([]int32, 0, b.room+1)}
}

// cleared returns v with room elements, all zero.
func cleared[T int32 | int64](v []T, room int) []T {
	v = v[:room]
	clear(v)
	return v
}
