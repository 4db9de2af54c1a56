package document

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc64"
)

// SumTable is the table of the checksums of documents and trajectories: CRC-64 of ECMA-182.
var SumTable = crc64.MakeTable(crc64.ECMA)

// Text around the checksum at the end of a sealed document. The checksum is the last field.
const (
	sumKey = `,"checksum":"`
	sumEnd = "\"}\n"
)

// SumText returns the text of a checksum in files: 16 hexadecimal digits.
func SumText(sum uint64) string { return fmt.Sprintf("%016x", sum) }

// Seal returns a JSON object with one more field, the checksum of the object, and a line end. The object has at least one field. Seal
// may overwrite object.
func Seal(object []byte) []byte {
	end := sumKey + SumText(crc64.Checksum(object, SumTable)) + sumEnd
	return append(object[:len(object)-1], end...)
}

// Sealed returns an error unless data ends in the checksum that Seal has written for it.
func Sealed(data []byte) error {
	at := len(data) - len(sumKey) - len(SumText(0)) - len(sumEnd)
	if at < 0 || !bytes.HasPrefix(data[at:], []byte(sumKey)) || !bytes.HasSuffix(data, []byte(sumEnd)) {
		return errors.New("it does not end in a checksum")
	}
	said := string(data[at+len(sumKey) : len(data)-len(sumEnd)])
	if is := SumText(crc64.Update(crc64.Checksum(data[:at], SumTable), SumTable, []byte("}"))); is != said {
		return fmt.Errorf("it is damaged: its checksum says %q, its content has %s", said, is)
	}
	return nil
}
