// Package study says what a sweep over a model is (docs/sweeps.md): the parameters, which are numbers of the model's
// document, how they are drawn, and what is kept of each run. It reads documents of rung-study/1; rung sweep runs them.
package study
