// Package study describes a sweep over a model ([docs/sweeps.md]): the parameters, which are numbers of the model's
// document, how they are drawn, and the results that each run keeps. It reads documents of rung-study/1; rung sweep runs them.
//
//	s, err := study.Read(file, "car.study.json")
//	draws, values := s.NewDraws(), make([]float64, len(s.Parameters))
//	draws.ValuesTo(values, 17) // of run 17
//	base, err := s.NewBase(text, "car.json")
//	document, err := base.With(values) // the model of that run
//
// [docs/sweeps.md]: https://github.com/rung-mbd/rung/blob/main/docs/sweeps.md
package study
