package document

import "ttdiag/ingest/source"

// Pieces reads a string and hands its text over in pieces, unescaped, for texts
// that need not fit into memory. A piece is valid during the call and may end
// inside a character. Any other value is damage.
func (r *Reader) Pieces(take func(piece []byte)) error {
	kind, err := r.Next()
	if err != nil {
		return r.cut()
	}
	if kind != String {
		return r.bad(source.InvalidJSON)
	}
	r.pos++
	for {
		plain, end, err := r.run()
		if err != nil {
			return err
		}
		if len(plain) > 0 {
			take(plain)
		}
		switch end {
		case '"':
			return nil
		case '\\':
			var escaped [4]byte
			n, err := r.escape(&escaped)
			if err != nil {
				return err
			}
			take(escaped[:n])
		}
	}
}
