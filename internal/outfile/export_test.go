package outfile

// OpenBy is Open with what reads the head.
func (l Layout) OpenBy(path string, read func(name string) ([]byte, error)) (*Opened, error) {
	return l.openBy(path, read)
}
