package arch_test

import (
	"go/ast"
	"go/doc/comment"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// dotted is a name in a comment with its package before it: "factor.Choose",
// "sim/parquet.Options.Sum".
var dotted = regexp.MustCompile(`\b([a-z]+(?:/[a-z]+)*)\.([A-Z]\w*(?:\.[A-Z]\w*)?)`)

// TestNamesInComments requires that pkg.Name or pkg.Type.Name in a comment, with
// pkg of this module, names something declared.
func TestNamesInComments(t *testing.T) {
	files := sources(t)
	names, folders := declared(files), byName(files)
	for _, f := range files {
		if f.pkg == "internal/arch" {
			continue // its examples
		}
		for _, c := range f.ast.Comments {
			for _, m := range dotted.FindAllStringSubmatch(c.Text(), -1) {
				folder, ok := folders[m[1]]
				if !ok {
					continue
				}
				_, ok = names[folder+"."+m[2]]
				assert.True(t, ok, "a comment of %s names %s.%s, which does not exist", f.path, m[1], m[2])
			}
		}
	}
}

// byName returns the folders of the packages by folder and by name.
func byName(files []sourceFile) map[string]string {
	folders := map[string]string{}
	for f := range packages(files) {
		folders[f] = f
	}
	for f := range packages(files) {
		if name := path.Base(f); folders[name] == "" {
			folders[name] = f
		}
	}
	return folders
}

// TestNamesInPackageComments requires of the words of a package comment that look
// like names that the package declares them: those with a capital within a
// sentence, with one inside the word, and those that begin an item of a list and
// have a colon behind them.
func TestNamesInPackageComments(t *testing.T) {
	files := sources(t)
	own := map[string]map[string]bool{} // names by package, those of types also without them
	for name := range declared(files) {
		pkg, rest, _ := strings.Cut(name, ".")
		if own[pkg] == nil {
			own[pkg] = map[string]bool{}
		}
		for _, n := range strings.Split(rest, ".") {
			own[pkg][n] = true
		}
	}
	authors := map[string]bool{}
	for key := range keys(t) {
		for _, w := range strings.Fields(key) {
			authors[strings.Trim(w, ",")] = true
		}
	}
	for _, f := range files {
		if f.test || f.ast.Doc == nil || f.ast.Name.Name == "main" {
			continue
		}
		for _, w := range namesIn(f.ast.Doc) {
			assert.True(t, own[f.pkg][w] || proper[w] || authors[w], "the comment of package %s names %s, which it does not declare", f.pkg, w)
		}
	}
}

// proper are words with a capital that name no Go identifier, besides the
// authors in docs/references.md.
var proper = map[string]bool{
	"Frame": true, "Units": true, "Cost": true, "Errors": true, // the labels
	"FreeCAD": true, "Foxglove": true, "OpenMPI": true, "Ondsel": true, "SDFormat": true,
	"Featherstone": true, "Rigid": true, "Dynamics": true, "Algorithms": true, "Table": true,
	"Apache": true, "Go": true, "Jacobian": true, "Lie": true, "LockFileEx": true, "MatrixMarket": true, "NaN": true, "Newton": true, "Parquet": true, "Python": true, "Rung": true, "Schemas": true, "WebAssembly": true,
	"To": true, "World": true, // parts of names
}

// capital is a word with a capital and small letters.
var capital = regexp.MustCompile(`^[A-Z]\w*[a-z]\w*$`)

// namesIn returns the words of a package comment that look like names.
func namesIn(doc *ast.CommentGroup) (names []string) {
	for _, block := range new(comment.Parser).Parse(doc.Text()).Content {
		switch b := block.(type) {
		case *comment.Paragraph:
			names = append(names, namesInText(b.Text)...)
		case *comment.List:
			for _, item := range b.Items {
				for _, c := range item.Content {
					if p, ok := c.(*comment.Paragraph); ok {
						names = append(names, namesInText(p.Text)...)
					}
				}
			}
		}
	}
	return names
}

func namesInText(text []comment.Text) (names []string) {
	var b strings.Builder
	for _, x := range text {
		switch x := x.(type) {
		case comment.Plain:
			b.WriteString(string(x))
		case comment.Italic:
			b.WriteString(string(x))
		}
	}
	begins := true // a sentence
	for _, field := range strings.Fields(b.String()) {
		word := strings.Trim(field, `.,;:()"“”`)
		inside := strings.IndexFunc(word[min(1, len(word)):], func(r rune) bool { return r >= 'A' && r <= 'Z' }) >= 0
		if capital.MatchString(word) && (!begins || inside || strings.HasSuffix(field, ":")) {
			names = append(names, word)
		}
		begins = strings.HasSuffix(strings.TrimRight(field, `)"`), ".") || strings.HasSuffix(field, ":")
	}
	return names
}
