package stream

import (
	"bytes"
	"context"
	"io"

	"ttdiag/ingest/source"
	"ttdiag/ingest/timeline"
)

// readBare reads the body of one response, as it was saved without times: it
// tells classes, counts and tokens, and every time is absent.
func readBare(ctx context.Context, src io.Reader, opt source.Options, out *source.Out, t *tap) error {
	opts := options(opt)
	s := newStream(new(desk), t.options(nil, &opts))
	buf := make([]byte, 64<<10)
	for {
		n, err := src.Read(buf)
		s.Chunk(Moment{}, buf[:n])
		if err == io.EOF {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	result := s.End()
	out.At(source.Position{Line: 1})
	out.Line()
	if result.frames() == 0 && !result.Whole {
		out.Reject(source.Reject(source.NotARequest, 0))
		return nil
	}
	row := out.Row()
	result.Fill(row, 0)
	row.Drop(timeline.AllMarks)
	out.Add()
	return out.Err()
}

// bareSSE reports whether the window looks like the text of an event stream.
func bareSSE(w *source.Window) source.Confidence {
	data := false
	share := w.Share(func(line []byte) bool {
		name, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte(byteOrderMark)), []byte{':'})
		switch string(name) {
		case "data":
			data = true
			return true
		case "event", "id", "retry", "":
			return true
		}
		return false
	})
	switch {
	case data && share >= 0.9:
		return source.Certain
	case data && share >= 0.5:
		return source.Likely
	case looksCR(w.Head):
		return source.Certain
	}
	return source.No
}

// looksCR reports whether the head is an event stream whose lines end with CR
// alone, so that it has no lines for anybody else.
func looksCR(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	return bytes.IndexByte(head, '\n') < 0 && bytes.Contains(head, []byte("\r\r")) &&
		(bytes.HasPrefix(head, []byte("data:")) || bytes.HasPrefix(head, []byte("event:")) || bytes.HasPrefix(head, []byte(":")))
}

// barePaths are the paths that only a streamed body has: as a line, a document
// or an element of one.
var barePaths = []string{
	"candidates.[].content.parts", "usageMetadata.promptTokenCount", "contentBlockDelta.delta", "messageStart.role", "contentBlockStop",
	"choices.[].delta",
}

func bareJSON(w *source.Window) source.Confidence {
	o := w.Outline()
	for _, p := range barePaths {
		if o.Has(p) || o.Has("[]."+p) {
			return source.Certain - 5 // a log that holds such bodies has marks of its own
		}
	}
	if o.Kind("done") == 't' && o.Has("created_at") && (o.Has("message.role") || o.Kind("response") == '"') {
		return source.Certain - 5
	}
	return source.No
}
