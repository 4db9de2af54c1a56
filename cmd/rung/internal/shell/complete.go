package shell

import (
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/formats"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/spf13/cobra"
)

// Complete registers the words that complete a flag in the shell.
func Complete(cmd *cobra.Command, flag string, words ...string) {
	f := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // the flag is not defined
	}
}

// CompleteModel completes the first argument by model files.
func CompleteModel(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return Endings(true), cobra.ShellCompDirectiveFilterFileExt
}

// CompleteModels completes all arguments by model files.
func CompleteModels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return Endings(true), cobra.ShellCompDirectiveFilterFileExt
}

// Endings returns the endings of the files of foreign formats, without points.
// If models is true, the ending of models comes first.
func Endings(models bool) (list []string) {
	if models {
		list = append(list, strings.TrimPrefix(modelEnding, "."))
	}
	for _, e := range formats.Endings {
		list = append(list, strings.TrimPrefix(e, "."))
	}
	return list
}

const (
	// completedBytes is the size of the largest model file that is read for a completion, so that it takes no longer than a second.
	completedBytes = 64 << 20
	// completedNames is the largest number of names that are offered.
	completedNames = 1000
)

// CompleteNames completes a flag with a list of names by names of the model file, the first argument before it.
func CompleteNames(cmd *cobra.Command, flag string, names func(m *model.Model) iter.Seq[string]) {
	offer := func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		const rest = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		if len(args) == 0 {
			return nil, rest
		}
		if info, err := os.Stat(args[0]); err != nil || !info.Mode().IsRegular() || info.Size() > completedBytes {
			return nil, rest
		}
		m, err := readForCompletion(args[0])
		if err != nil {
			return nil, rest
		}
		return matching(names(m), word), rest
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, offer); err != nil {
		panic(err) // the flag is not defined
	}
}

// readForCompletion reads the model or the file of a foreign format at path.
func readForCompletion(path string) (*model.Model, error) {
	if !formats.Is(path) {
		return model.ReadFile(path)
	}
	r, _, err := formats.ReadFile(path, nil, &source.Options{})
	if err != nil {
		return nil, err
	}
	return r.Model, nil
}

// matching returns the completions of word, a list with commas: its last name is replaced by each name that begins with it.
// Names that are in the list already are left out, and so are names with commas, quotes or line breaks.
func matching(names iter.Seq[string], word string) (list []string) {
	before, last := "", word
	if i := strings.LastIndexByte(word, ','); i >= 0 {
		before, last = word[:i+1], word[i+1:]
	}
	given := strings.Split(before, ",")
	for name := range names {
		if strings.HasPrefix(name, last) && !strings.ContainsAny(name, ",\"") && fault.Line(name) == name && !slices.Contains(given, name) {
			if list = append(list, before+name); len(list) == completedNames {
				break
			}
		}
	}
	return list
}

// BodyNames are the names of bodies.
func BodyNames(m *model.Model) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range m.Bodies {
			if !yield(m.Bodies[i].Name) {
				return
			}
		}
	}
}

// JointNames are the names of joints.
func JointNames(m *model.Model) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range m.Joints {
			if !yield(m.Joints[i].Name) {
				return
			}
		}
	}
}

// CouplingNames are the names of couplings.
func CouplingNames(m *model.Model) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range m.Couplings {
			if !yield(m.Couplings[i].Name) {
				return
			}
		}
	}
}

// FreedomNames are the names of joints with scalar freedoms and, for a joint
// with several of them, JOINT.I for each.
func FreedomNames(m *model.Model) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range m.Joints {
			j := &m.Joints[i]
			names := []string{j.Name}
			for k := range j.Kind().Freedoms() {
				if j.Kind().Scalar(k) {
					names = append(names, fmt.Sprintf("%s.%d", j.Name, k))
				}
			}
			if len(names) == 1 {
				continue
			}
			if len(names) == 2 {
				names = names[:1]
			}
			for _, name := range names {
				if !yield(name) {
					return
				}
			}
		}
	}
}
