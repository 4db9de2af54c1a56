package document

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc64"
)

// sumTable is the table of the checksums of documents: CRC-64 of ECMA-182.
var sumTable = crc64.MakeTable(crc64.ECMA)

// The last field of a sealed document is the checksum of the document without it.
const (
	sumKey = `,"checksum":"`
	sumEnd = "\"}\n"
)

func sumText(sum uint64) string { return fmt.Sprintf("%016x", sum) }

// Seal returns an object of JSON, which has a field at least, as a line with one more: the checksum of the object. It writes over object.
func Seal(object []byte) []byte {
	end := sumKey + sumText(crc64.Checksum(object, sumTable)) + sumEnd
	return append(object[:len(object)-1], end...)
}

// Sealed returns an error unless data is what Seal has returned.
func Sealed(data []byte) error {
	at := len(data) - len(sumKey) - len(sumText(0)) - len(sumEnd)
	if at < 0 || !bytes.HasPrefix(data[at:], []byte(sumKey)) || !bytes.HasSuffix(data, []byte(sumEnd)) {
		return errors.New("it does not end in a checksum")
	}
	said := string(data[at+len(sumKey) : len(data)-len(sumEnd)])
	if is := sumText(crc64.Update(crc64.Checksum(data[:at], sumTable), sumTable, []byte("}"))); is != said {
		return fmt.Errorf("it is damaged: its checksum says %q, its content has %s", said, is)
	}
	return nil
}
