package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
)

//go:embed gallery.json
var galleryList []byte

// exhibit is a mechanism of the gallery. It is a member of a family, or a file of the repository.
type exhibit struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	About   string   `json:"about"`
	Family  string   `json:"family,omitempty"`
	Model   string   `json:"model,omitempty"`
	Motion  []string `json:"motion"`            // subcommand that moves it, and its flags
	From    string   `json:"from,omitempty"`    // direction of the eye, as the flag --from of rung draw
	Section string   `json:"section,omitempty"` // heading in docs/gallery.md
	Counts  string   `json:"counts"`            // numbers of bodies and joints, in words
}

// writeGallery writes the picture, the live page and the page about each mechanism of the gallery.
func writeGallery(s *site) error {
	var list []exhibit
	if err := json.Unmarshal(galleryList, &list); err != nil {
		return fmt.Errorf("gallery.json: %w", err)
	}
	text, err := s.read("docs/gallery.md")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "gallery")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := s.exhibits(dir, list); err != nil {
		return err
	}
	for i := range list {
		e := &list[i]
		body, err := e.body(text)
		if err != nil {
			return err
		}
		m := matter{Title: e.Title, Description: e.About, Weight: i + 1, Source: "docs/gallery.md", Front: e}
		if err := s.page("gallery/"+e.Name+".md", m, body); err != nil {
			return err
		}
	}
	return s.data("gallery", list)
}

// exhibits makes the pictures and live pages of all mechanisms, as many at a time as there are processors.
func (s *site) exhibits(dir string, list []exhibit) error {
	var wait sync.WaitGroup
	problems := make([]error, len(list))
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range next {
				if err := s.exhibit(dir, &list[i]); err != nil {
					problems[i] = fmt.Errorf("%s of the gallery: %w", list[i].Name, err)
				}
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wait.Wait()
	return errors.Join(problems...)
}

// exhibit makes the picture and the live page of a mechanism, and counts its bodies and joints. It calls the command to generate the model,
// if it is of a family, to run it, and to draw the run twice. dir is for temporary files.
func (s *site) exhibit(dir string, e *exhibit) error {
	model, err := filepath.Abs(filepath.Join(s.root, filepath.FromSlash(e.Model)))
	if err != nil {
		return err
	}
	if e.Family != "" {
		model = filepath.Join(dir, e.Name+".json")
		if _, err := s.run(dir, append(append([]string{"generate"}, strings.Fields(e.Family)...), "-o", model)...); err != nil {
			return err
		}
	}
	rows, live, shot := e.Name+".csv", e.Name+".html", e.Name+".png"
	if _, err := s.run(dir, append([]string{e.Motion[0], model, "--out", rows, "--quiet"}, e.Motion[1:]...)...); err != nil {
		return err
	}
	from := e.From
	if from == "" {
		from = "-60,25"
	}
	draw := []string{"draw", model, "--run", rows}
	if _, err := s.run(dir, append(draw, "--at", "0", "-o", shot, "--from="+from, "--size", "560x420", "--no-joints")...); err != nil {
		return err
	}
	if _, err := s.run(dir, append(draw, "-o", live)...); err != nil {
		return err
	}
	if e.Counts, err = counts(model); err != nil {
		return err
	}
	page, err := os.ReadFile(filepath.Join(dir, live))
	if err != nil {
		return err
	}
	named, err := nameLive(string(page), e)
	if err != nil {
		return err
	}
	picture, err := os.ReadFile(filepath.Join(dir, shot))
	if err != nil {
		return err
	}
	if err := s.file("static/live/"+shot, picture); err != nil {
		return err
	}
	return s.file("static/live/"+live, []byte(named))
}

// counts returns the numbers of bodies and joints of a model, in words.
func counts(model string) (string, error) {
	text, err := os.ReadFile(model)
	if err != nil {
		return "", err
	}
	var m struct{ Bodies, Joints []any }
	if err := json.Unmarshal(text, &m); err != nil {
		return "", fmt.Errorf("%s: %w", model, err)
	}
	of := func(n int, one, many string) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprint(n, " ", many)
	}
	return of(len(m.Bodies), "body", "bodies") + ", " + of(len(m.Joints), "joint", "joints"), nil
}

// nameLive gives a page of rung draw the title and the description of its mechanism.
func nameLive(page string, e *exhibit) (string, error) {
	const title = "<title>Rung</title>"
	if strings.Count(page, title) != 1 {
		return "", fmt.Errorf("the page that rung draw writes has no %s", title)
	}
	named := fmt.Sprintf("<title>%s – Rung</title>\n<meta name=\"description\" content=\"%s\">",
		html.EscapeString(e.Title), html.EscapeString(e.About))
	return strings.Replace(page, title, named, 1), nil
}

// body returns the page about a mechanism: the commands that make it, and its section of docs/gallery.md, whose text is gallery.
func (e *exhibit) body(gallery string) (string, error) {
	var b strings.Builder
	model := e.Model
	b.WriteString("```sh\n")
	if e.Family != "" {
		model = e.Name + ".json"
		fmt.Fprintf(&b, "rung generate %s -o %s\n", e.Family, model)
	}
	fmt.Fprintf(&b, "rung %s %s %s --out %s.csv\n", e.Motion[0], model, strings.Join(e.Motion[1:], " "), e.Name)
	fmt.Fprintf(&b, "rung draw %s --run %s.csv -o %s.html\nrung play %s\n```\n\n", model, e.Name, e.Name, model)
	if e.Section == "" {
		return b.String(), nil
	}
	text, ok := cut(gallery, e.Section)
	if !ok {
		return "", fmt.Errorf("docs/gallery.md: no section %q, which gallery.json names", e.Section)
	}
	b.WriteString(strings.TrimSpace(withoutCommands(text)) + "\n")
	return b.String(), nil
}

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```\n")
	drawing = regexp.MustCompile(`(?m)^!\[[^\]]*\]\([^)]*\.png\)\n`)
)

// withoutCommands returns a section without its commands and its picture, as the page has these already.
func withoutCommands(text string) string {
	text = drawing.ReplaceAllString(text+"\n", "")
	return fence.ReplaceAllStringFunc(text, func(block string) string {
		if strings.Contains(block, "rung generate") || strings.HasPrefix(block, "```sh\nrung play") {
			return ""
		}
		return block
	})
}
