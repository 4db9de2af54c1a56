package ranks

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/internal/fault"
)

// open opens a model in tables. It returns an error if the rank has opened another model at this path before: it has been replaced since.
func (r *Rank) open(path string) (file shell.Ranges, err error) {
	if file, err = r.opens(r.Rank(), path); err != nil {
		return nil, err
	}
	if was, ok := r.read[path]; ok && was != file.Digest() {
		_ = file.Close() // it was read only
		return nil, fmt.Errorf("%s: holds another model than before: it has been replaced meanwhile", fault.Line(path))
	}
	if r.read == nil {
		r.read = make(map[string]string)
	}
	r.read[path] = file.Digest()
	return file, nil
}

// openOne is open on all ranks together. It returns an error on all of them if they find different models.
func (r *Rank) openOne(path string) (shell.Ranges, error) {
	file, err := r.open(path)
	if err = dist.Agree(r, err); err != nil {
		if file != nil {
			_ = file.Close() // it was read only
		}
		return nil, err
	}
	for rank, numbers := range r.Lists(digestNumbers(file.Digest())) { // on rank 0
		if err == nil && !slices.Equal(numbers, digestNumbers(file.Digest())) {
			err = fmt.Errorf("%s: rank %d finds another model there than rank 0: it is being replaced, or the ranks see different files", fault.Line(path), rank)
		}
	}
	if err = dist.Agree(r, err); err != nil {
		_ = file.Close() // it was read only
		return nil, err
	}
	return file, nil
}

// digestNumbers returns a digest in hexadecimal digits as numbers, 32 bits each.
func digestNumbers(digest string) (list []float64) {
	bits, err := hex.DecodeString(digest)
	if err != nil || len(bits)%4 != 0 {
		panic("ranks: no digest")
	}
	for ; len(bits) > 0; bits = bits[4:] {
		list = append(list, float64(binary.BigEndian.Uint32(bits)))
	}
	return list
}
