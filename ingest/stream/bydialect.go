package stream

// byDialect judges an event that has no type of its own.
func (s *Stream) byDialect(f *facts, v verdict) ClassSet {
	counts := f.have&usageSlots != 0
	if v.whole {
		return wholeClasses(counts)
	}
	set := f.classes
	if f.ending == Failed && v.dialect == OpenAIChat {
		return SetOf(Failure)
	}
	switch v.dialect {
	case OpenAIChat:
		set |= s.chatUsage(f, counts)
		if f.signs&signChoice != 0 {
			set |= 1 << Metadata
		}
	case Gemini:
		set |= geminiUsage(f)
		if f.signs&signFinish == 0 && f.signs&signChoice != 0 {
			set |= 1 << Metadata
		}
	case DashScope:
		set |= dashscopeUsage(f, counts)
		if f.signs&signFinish == 0 {
			set |= 1 << Metadata
		}
	case Ollama:
		if f.signs&signOllama != 0 {
			set |= 1 << Done
		}
		fallthrough
	default:
		if counts {
			set |= 1 << Usage
		}
		if f.failure != "" && f.votes&^1 == 0 && !f.typed { // DashScope: {"code":…,"message":…}
			set |= 1 << Failure
		}
	}
	return orMetadata(set)
}

// chatUsage tells running counts from final ones: counts beside a choice are
// final only where the choice finishes and none ran before.
func (s *Stream) chatUsage(f *facts, counts bool) ClassSet {
	switch {
	case !counts:
		return 0
	case f.signs&signChoice == 0 || f.signs&signFinish != 0 && s.counts[RunningUsage] == 0:
		return SetOf(Usage)
	}
	return SetOf(RunningUsage)
}

// geminiUsage: every chunk repeats the counts of the prompt; only counts of
// the response say something new.
func geminiUsage(f *facts) ClassSet {
	finished := f.signs&signFinish != 0
	switch {
	case finished && f.have&usageSlots != 0:
		return SetOf(Usage, ImplicitDone)
	case finished:
		return SetOf(ImplicitDone)
	case f.have&(1<<slotCandidates|1<<slotThoughts) == 0:
		return 0
	case f.signs&signChoice == 0:
		return SetOf(Usage)
	}
	return SetOf(RunningUsage)
}

func dashscopeUsage(f *facts, counts bool) ClassSet {
	var set ClassSet
	if f.signs&signFinish != 0 {
		set = SetOf(ImplicitDone)
		if counts {
			set |= 1 << Usage
		}
	} else if counts {
		set = SetOf(RunningUsage)
	}
	return set
}
