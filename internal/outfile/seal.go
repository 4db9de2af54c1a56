package outfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/rung-mbd/rung/internal/replace"
)

// A seal is sealKey followed by the SHA-256 of the file that contains it, in hexadecimal digits. For the SHA-256, these digits are
// taken as zeros.
const (
	sealKey    = "rung-seal:"
	sealDigits = 2 * sha256.Size
)

// unsealed are the digits of a seal before the file is sealed.
var unsealed = strings.Repeat("0", sealDigits)

// Unsealed returns the text that a writer puts at the place of the seal. If a file has several, the last one becomes the seal.
func Unsealed() string { return sealKey + unsealed }

// ErrDamaged is wrapped by the error for a file whose bytes have changed since it was written.
var ErrDamaged = errors.New("is damaged: its bytes are not those that were written")

// errNoSeal is the error for a file without a seal.
var errNoSeal = errors.New("has no seal: it is damaged, or none of these files")

// Sealed returns a function that writes a file by write and then seals it. The text written contains Unsealed at least once, near its
// end. The function panics unless its argument is a File that replaces another.
func Sealed(write func(w io.Writer) error) func(w io.Writer) error {
	return func(w io.Writer) error {
		f, ok := w.(*File)
		if !ok || f.Direct() {
			panic("outfile: a seal needs a file that replaces another")
		}
		h := sha256.New()
		if err := write(io.MultiWriter(f, h)); err != nil {
			return err
		}
		size, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		at, digits, err := findSeal(f, size)
		if err != nil {
			return err
		}
		if digits != unsealed {
			panic("outfile: a file that has a seal before it is whole")
		}
		_, err = f.WriteAt(hex.AppendEncode(nil, h.Sum(nil)), at)
		return err
	}
}

// CheckSeal returns the digits of the seal of a file f with size bytes. It returns an error that wraps ErrDamaged if the bytes differ
// from those that were sealed, or there is no seal. Files with the same digits have the same bytes.
//
// Cost: reading the file.
func CheckSeal(f io.ReaderAt, size int64) (digits string, err error) {
	at, digits, err := findSeal(f, size)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, at)); err != nil {
		return "", err
	}
	io.WriteString(h, unsealed)
	after := at + sealDigits
	if _, err := io.Copy(h, io.NewSectionReader(f, after, size-after)); err != nil {
		return "", err
	}
	if hex.EncodeToString(h.Sum(nil)) != digits {
		return "", ErrDamaged
	}
	return digits, nil
}

// CheckSealOf is CheckSeal for the file at path. Its errors have this path.
func CheckSealOf(path string) error {
	f, err := openRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		_, err = CheckSeal(f, info.Size())
	}
	if err != nil {
		return &fs.PathError{Op: "read", Path: path, Err: replace.Reason(err)}
	}
	return nil
}

// Remnant reports whether a file whose seal is wrong or missing may be a damaged file of a format: it is empty, or begins with
// magic, as all files of the format do, or contains the key of a seal. A single damage leaves magic or the key intact.
func Remnant(path, magic string) (bool, error) {
	data, err := os.ReadFile(path)
	return err == nil && (len(data) == 0 || bytes.HasPrefix(data, []byte(magic)) || bytes.Contains(data, []byte(sealKey))), err
}

// sealBlock is the number of bytes that findSeal reads at a time.
const sealBlock = 1 << 16

// findSeal returns the offset of the digits of the last seal, and the digits. It reads the file from its end.
func findSeal(f io.ReaderAt, size int64) (at int64, digits string, err error) {
	const length = len(sealKey) + sealDigits
	block := make([]byte, sealBlock+length)
	for end := size; end > 0; end -= sealBlock {
		from := max(0, end-sealBlock)
		part := block[:min(end+int64(length), size)-from]
		if _, err := f.ReadAt(part, from); err != nil && !errors.Is(err, io.EOF) {
			return 0, "", err
		}
		for {
			k := bytes.LastIndex(part, []byte(sealKey))
			if k < 0 {
				break
			}
			if k+length <= len(part) {
				return from + int64(k+len(sealKey)), string(part[k+len(sealKey) : k+length]), nil
			}
			part = part[:k]
		}
	}
	return 0, "", errors.Join(errNoSeal, ErrDamaged)
}
