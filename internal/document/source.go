package document

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json/jsontext"
)

// maxToken bounds the bytes of one token with the white space before it, and
// by that the memory of the tokenizer.
const maxToken = 16 << 20

var errTokenTooLong = errors.New("a single value or gap is longer than 16 MiB")

// source feeds the tokenizer and keeps what messages and estimates need.
type source struct {
	r     *bufio.Reader
	dec   *jsontext.Decoder
	size  int64 // of the whole input, 0 if unknown
	total int64 // bytes delivered
	lines int   // line ends among them
}

func newSource(r io.Reader) *source {
	s := &source{r: bufio.NewReaderSize(r, 1<<18)}
	switch in := r.(type) {
	case *os.File:
		if info, err := in.Stat(); err == nil && info.Mode().IsRegular() {
			s.size = info.Size()
		}
	case interface{ Len() int }:
		s.size = int64(in.Len())
	}
	s.dec = jsontext.NewDecoder(s, jsontext.AllowDuplicateNames(true))
	return s
}

// Read is called by the tokenizer.
func (s *source) Read(p []byte) (int, error) {
	if s.total-s.dec.InputOffset() > maxToken {
		return 0, errTokenTooLong
	}
	n, err := s.r.Read(p)
	s.total += int64(n)
	s.lines += bytes.Count(p[:n], []byte{'\n'})
	return n, err
}

// where names a place of the input, at or after the last token, for people.
func (s *source) where(offset int64) string {
	rest := s.dec.UnreadBuffer()
	skip := min(max(offset-s.dec.InputOffset(), 0), int64(len(rest)))
	line := 1 + s.lines - bytes.Count(rest[skip:], []byte{'\n'})
	return fmt.Sprintf("line %d, byte %d", line, offset)
}
