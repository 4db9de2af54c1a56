package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// record is a section of a page in the index.
type record struct {
	Page  string `json:"p"` // title of the page
	Head  string `json:"h"` // heading of the section
	Where string `json:"u"` // address, with the anchor of the section
	First string `json:"t"` // first words
	Words string `json:"w"` // all words, each once
}

// writeIndex writes the index of the site in a folder as a script, so that pages opened from a disk can load it too.
func writeIndex(dir string) error {
	var index []record
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".html" {
			return err
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		root, err := html.Parse(f)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		index = append(index, indexPage(root, filepath.ToSlash(rel))...)
		return nil
	})
	if err != nil {
		return err
	}
	if len(index) == 0 {
		return fmt.Errorf("%s: no page has a part to search (data-search)", dir)
	}
	text, err := json.Marshal(index)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "search-index.js"), append(append([]byte("window.rungIndex="), text...), ";\n"...), 0o666)
}

// indexPage returns the sections of a page, from the element with the attribute data-search, whose value is the title. A section
// begins at each h2 or h3 with an anchor. It returns nil if the page has no such element.
func indexPage(root *html.Node, address string) (list []record) {
	main := find(root, func(n *html.Node) bool { return attribute(n, "data-search") != "" })
	if main == nil {
		return nil
	}
	title := attribute(main, "data-search")
	var text strings.Builder
	now := record{Page: title, Head: title, Where: address}
	finish := func() {
		now.First, now.Words = digest(text.String())
		list = append(list, now)
		text.Reset()
	}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			text.WriteString(n.Data)
		case attribute(n, "data-search-not") != "" || n.Data == "script" || n.Data == "style" || n.Data == "h1":
			return
		case (n.Data == "h2" || n.Data == "h3") && attribute(n, "id") != "":
			finish()
			now = record{Page: title, Head: strings.TrimSpace(words(n)), Where: address + "#" + attribute(n, "id")}
			return
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
		if n.Type == html.ElementNode {
			text.WriteString(" ")
		}
	}
	walk(main)
	finish()
	return list
}

var word = regexp.MustCompile(`[\p{L}][\p{L}\p{N}_.-]*[\p{L}\p{N}]`)

// mostFirst is the largest number of characters of a section that a result of a search shows.
const mostFirst = 150

// digest returns the first words of a text, and all its words in lower case, each once, in alphabetical order.
func digest(text string) (first, all string) {
	fields := strings.Fields(text)
	first = strings.Join(fields, " ")
	if r := []rune(first); len(r) > mostFirst {
		first = string(r[:mostFirst])
		if i := strings.LastIndex(first, " "); i > 0 {
			first = first[:i]
		}
		first += " …"
	}
	list := word.FindAllString(strings.ToLower(text), -1)
	slices.Sort(list)
	list = slices.Compact(list)
	return first, strings.Join(list, " ")
}

// find returns the first element below n, in the order of the page, for which ok holds; nil if there is none.
func find(n *html.Node, ok func(*html.Node) bool) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && ok(d) {
			return d
		}
	}
	return nil
}

// attribute returns the value of an attribute of n, "" if there is none.
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// words returns the text of a node without parts that are hidden from screen readers.
func words(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := range n.ChildNodes() {
		if attribute(c, "aria-hidden") == "" {
			b.WriteString(words(c))
		}
	}
	return b.String()
}
