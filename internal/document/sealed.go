package document

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc64"
)

// SumTable is the table of the checksums of documents and trajectories: CRC-64 of ECMA-182.
var SumTable = crc64.MakeTable(crc64.ECMA)

// The last field of a sealed document is the checksum of the document without it.
const (
	sumKey = `,"checksum":"`
	sumEnd = "\"}\n"
)

// SumText returns a checksum as files have it: 16 hexadecimal digits.
func SumText(sum uint64) string { return fmt.Sprintf("%016x", sum) }

// Seal returns an object of JSON, which has a field at least, as a line with one more: the checksum of the object. It writes over object.
func Seal(object []byte) []byte {
	end := sumKey + SumText(crc64.Checksum(object, SumTable)) + sumEnd
	return append(object[:len(object)-1], end...)
}

// Sealed returns an error unless data is what Seal has returned.
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
