package stream

// byKind judges an event whose type is known.
func byKind(f *facts, k *kindRow) ClassSet {
	counts := f.have&usageSlots != 0
	switch k.rule {
	case ifPayload:
		if f.signs&signPayload != 0 {
			return k.classes
		}
		return SetOf(Metadata)
	case ifArgs:
		return addedItem(f)
	case always:
		set := k.classes
		if !counts {
			set &^= 1 << Usage
		}
		return orMetadata(set)
	case whole:
		return wholeClasses(counts)
	}
	if k.dialect == AnthropicMessages {
		return anthropicClasses(f, k, counts)
	}
	return orMetadata(f.classes)
}

func orMetadata(set ClassSet) ClassSet {
	if set == 0 {
		return SetOf(Metadata)
	}
	return set
}

func wholeClasses(counts bool) ClassSet {
	if counts {
		return SetOf(Metadata, Usage)
	}
	return SetOf(Metadata)
}

func addedItem(f *facts) ClassSet {
	switch {
	case f.signs&signItemArgs != 0:
		return SetOf(Action)
	case f.block == startBlock:
		return SetOf(ActionStart)
	}
	return SetOf(Metadata)
}

// anthropicClasses judges the events whose meaning lies in a block or a delta.
func anthropicClasses(f *facts, k *kindRow, counts bool) ClassSet {
	set := f.classes & (progress | 1<<Citation)
	switch k.name {
	case "message_start":
		if counts {
			return SetOf(Metadata, RunningUsage)
		}
		return SetOf(Metadata)
	case "message_delta":
		if counts {
			return SetOf(Usage)
		}
		return SetOf(Metadata)
	case "content_block_start":
		switch f.block {
		case startBlock, serverBlock:
			set |= 1 << ActionStart
		case opaqueBlock:
			set |= 1 << Reasoning
		case resultBlock:
			set = 0
		}
	}
	return orMetadata(set)
}
