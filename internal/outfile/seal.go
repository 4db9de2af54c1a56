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

// A seal is sealKey and the SHA-256 of the file in which it stands, in hexadecimal digits. They count as zeros in it.
const (
	sealKey    = "rung-seal:"
	sealDigits = 2 * sha256.Size
)

// unsealed are the digits of a seal before there is one.
var unsealed = strings.Repeat("0", sealDigits)

// Unsealed returns the text that a writer puts in a file where its seal will be. Of several in a file the last counts.
func Unsealed() string { return sealKey + unsealed }

// ErrDamaged is wrapped by the errors of files whose bytes are not those that were written.
var ErrDamaged = errors.New("is damaged: its bytes are not those that were written")

var errNoSeal = errors.New("has no seal: it is damaged, or none of these files")

// Sealed returns what writes a file with write and seals it. The file has Unsealed once at least, near its end. It is
// one that Begin or a Place that is not direct has begun.
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

// CheckSeal returns an error that wraps ErrDamaged unless the first size bytes of f are those that were sealed, and
// else the digits of the seal. Files with the same digits have the same bytes.
//
// Cost: as reading the file.
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

// CheckSealOf is CheckSeal for the file at path, which its errors name.
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

// Remnant reports whether a file whose seal does not hold may have had one: it is empty, or begins with what all files of
// its format do, or has the key of a seal. Wherever one damage is, one of both is left.
func Remnant(path, magic string) (bool, error) {
	data, err := os.ReadFile(path)
	return err == nil && (len(data) == 0 || bytes.HasPrefix(data, []byte(magic)) || bytes.Contains(data, []byte(sealKey))), err
}

// sealBlock is the number of bytes in which a seal is looked for at once.
const sealBlock = 1 << 16

// findSeal returns the place of the digits of the last seal, and the digits.
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
