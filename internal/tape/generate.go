package tape

//go:generate go run ./gen
