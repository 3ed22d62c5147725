package stream

// Count is a number of tokens, or absent (the zero value).
type Count struct {
	n  int64
	ok bool
}

// Value returns the count, and false where it is absent.
func (c Count) Value() (n int64, ok bool) { return c.n, c.ok }

// Tokens are the token counts of one response, by the definitions of the
// columns: the input includes cached tokens, the output includes reasoning.
type Tokens struct {
	Input, Cached, Output, Reasoning Count
}

// take takes the counts of one event and returns what they say by themselves.
// Counts are running totals everywhere: the last ones win, each for itself.
func (s *Stream) take(f *facts, v verdict) Tokens {
	have := f.have & usageSlots
	if have == 0 || !v.classes.any(SetOf(Usage, RunningUsage)) {
		return Tokens{}
	}
	if v.kind != nil && v.kind.name == "message_start" {
		have &^= 1 << slotOutput // a placeholder of 1 to 3
	}
	s.have |= have
	for i := range s.tokens {
		if have>>i&1 != 0 {
			s.tokens[i] = f.counts[i]
		}
	}
	return tokensOf(v.dialect, have, f.counts[:])
}

// tokensOf applies the dialect's rule of what includes what.
func tokensOf(d Dialect, have uint32, counts []int64) Tokens {
	get := func(s slot) Count { return Count{counts[s], have>>s&1 != 0} }
	switch d {
	case AnthropicMessages, BedrockConverse:
		return outsideCache(get)
	case Gemini:
		return outsideThoughts(get)
	}
	return inclusive(get)
}

// inclusive: cached tokens are inside the input and reasoning inside the
// output. Some servers count reasoning apart; the total then says so.
func inclusive(get func(slot) Count) Tokens {
	t := Tokens{get(slotInput), get(slotCached), get(slotOutput), get(slotReasoning)}
	if !t.Cached.ok {
		t.Cached = get(slotCacheRead)
	}
	total := get(slotTotal)
	if t.Input.ok && t.Output.ok && t.Reasoning.n > 0 && total.n == t.Input.n+t.Output.n+t.Reasoning.n {
		t.Output.n += t.Reasoning.n
	}
	return t
}

// outsideCache: the input is without what was read from or written to a cache.
// Thinking is inside the output and not told apart.
func outsideCache(get func(slot) Count) Tokens {
	t := Tokens{Input: get(slotInput), Cached: get(slotCacheRead), Output: get(slotOutput)}
	if t.Input.ok {
		t.Input.n += get(slotCacheRead).n*flag(get(slotCacheRead).ok) + get(slotCacheWrite).n*flag(get(slotCacheWrite).ok)
	}
	return t
}

// outsideThoughts: the output is candidates plus thoughts, either of which is
// left out when it is 0.
func outsideThoughts(get func(slot) Count) Tokens {
	in, tools := get(slotInput), get(slotToolPrompt)
	if in.ok && tools.ok {
		in.n += tools.n
	}
	c, r := get(slotCandidates), get(slotThoughts)
	out := Count{ok: c.ok || r.ok}
	if c.ok {
		out.n += c.n
	}
	if r.ok {
		out.n += r.n
	}
	return Tokens{Input: in, Cached: get(slotCached), Output: out, Reasoning: r}
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
