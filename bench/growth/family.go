package growth

import (
	"slices"
	"sort"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// Family is a family of mechanisms that grow with a number n.
type Family struct {
	Name string

	// Model makes the model of size n. Measure keeps no reference to the model once it has been measured.
	Model func(n int) (*model.Model, error)

	// Bodies returns the number of bodies of the model of size n, which grows with n. If it is set, Sizes are numbers of bodies,
	// and for each of them the largest model with at most so many bodies is measured, or the model of size 1. If it is nil, Sizes
	// are the arguments of Model.
	Bodies func(n int) (int, error)
	Sizes  []int // in increasing order
	single bool  // one model that does not grow (Single)
}

// Generated returns a family of bench.Generate; its sizes are numbers of bodies. Models draw random numbers from the seed.
//
// It returns an error that wraps bench.ErrFamily if there is no family of that name.
func Generated(name string, seed uint64, sizes ...int) (Family, error) {
	if names := bench.Families(); !slices.Contains(names, name) {
		return Family{}, fault.Errorf("bench/growth: %w: %s", bench.ErrFamily, fault.NoneOf("family", name, names))
	}
	return Family{
		Name: name, Sizes: sizes,
		Model:  func(n int) (*model.Model, error) { return bench.Generate(name, n, seed) },
		Bodies: func(n int) (int, error) { return bench.Bodies(name, n) },
	}, nil
}

// Single returns a family of the one model m, which does not grow. Methods are compared on it (Document.Comparisons).
//
// It panics if m is nil.
func Single(name string, m *model.Model) Family {
	if m == nil {
		panic("bench/growth: no model")
	}
	return Family{Name: name, Sizes: []int{len(m.Bodies)}, Model: func(int) (*model.Model, error) { return m, nil }, single: true}
}

// largest returns the largest n whose model has at most size bodies; 1 if there is none.
func (f *Family) largest(size int) int {
	return max(1, sort.Search(size, func(n int) bool {
		nb, err := f.Bodies(n + 1)
		return err != nil || nb > size
	}))
}
