package objective

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/model"
)

// Open reads the document at a path, its model, a document of rung-model/1, and the files that both name.
//
// It returns the errors of Read and NewProblem, and errors of files wrapped.
func Open(path string) (*Problem, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("derive/objective: %w", err)
	}
	defer f.Close()
	o, err := Read(f, path)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(filepath.Dir(path), o.Model)
	if filepath.IsAbs(o.Model) {
		file = o.Model
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("derive/objective: %w", err)
	}
	source := Source{Text: text, Name: file, Folder: model.Folder(filepath.Dir(file)), Data: model.Folder(filepath.Dir(path))}
	return NewProblem(o, path, source)
}
