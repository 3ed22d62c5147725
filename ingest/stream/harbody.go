package stream

import "encoding/base64"

// content feeds a body, which may be base64: text of a stream never begins so.
func (g *har) content(s *Stream) error {
	d := &base64Body{stream: s}
	err := g.e.R.Pieces(d.take)
	d.flush()
	return err
}

// base64Body decodes a body that is base64 and passes on any other.
type base64Body struct {
	stream *Stream
	told   bool
	plain  bool
	head   []byte
	out    [3 << 10]byte
}

// take takes a piece. Eight bytes tell base64 from the text of a stream.
func (d *base64Body) take(b []byte) {
	if d.plain {
		d.stream.Chunk(Moment{}, b)
		return
	}
	d.head = append(d.head, b...)
	if !d.told && len(d.head) < 8 {
		return
	}
	d.decide()
	if d.plain {
		d.stream.Chunk(Moment{}, d.head)
		return
	}
	d.decode(len(d.head) &^ 3)
}

func (d *base64Body) decide() {
	if d.told {
		return
	}
	d.told = true
	for _, c := range d.head[:min(8, len(d.head))] {
		if c-'a' > 25 && c-'A' > 25 && c-'0' > 9 && c != '+' && c != '/' && c != '=' {
			d.plain = true
		}
	}
}

func (d *base64Body) decode(n int) {
	for text := d.head[:n]; len(text) > 0; {
		k := min(4<<10, len(text))
		m, _ := base64.StdEncoding.Decode(d.out[:], text[:k])
		d.stream.Chunk(Moment{}, d.out[:m])
		text = text[k:]
	}
	d.head = append(d.head[:0], d.head[n:]...)
}

func (d *base64Body) flush() {
	if !d.told && len(d.head) > 0 {
		d.decide()
		if d.plain {
			d.stream.Chunk(Moment{}, d.head)
			return
		}
		d.decode(len(d.head) &^ 3)
	}
}
