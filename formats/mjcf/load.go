package mjcf

import (
	"fmt"

	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
)

// load parses the file and inserts the files that it includes.
func (r *reader) load() (*xmltree.Node, error) {
	data, err := r.files.Read(r.name)
	if err != nil {
		return nil, err
	}
	root, err := xmltree.Parse(r.name.String(), data)
	if err != nil {
		return nil, err
	}
	r.included = map[source.Name]bool{r.name: true}
	return root, r.include(root, 0, 1)
}

// include inserts, after each element include below n, the children of the root of its file. depth is the number of nested files, inside
// the depth of elements.
func (r *reader) include(n *xmltree.Node, depth, inside int) error {
	if inside > xmltree.MaxDepth {
		return at(n, fmt.Errorf("formats/mjcf: with what is included, elements stand deeper than %d in each other", xmltree.MaxDepth))
	}
	found := false
	for _, c := range n.Children {
		if c.Name == "include" {
			found = true
		} else if err := r.include(c, depth, inside+1); err != nil {
			return err
		}
	}
	if !found {
		return nil
	}
	list := n.Children
	n.Children = nil
	for _, c := range list {
		n.Children = append(n.Children, c)
		if c.Name != "include" {
			continue
		}
		text := r.Required(c, "file")
		if text == "" {
			continue
		}
		// Paths are relative to the folder of the main file, wherever the element stands.
		name, err := r.files.Resolve(source.Dir(r.name), text)
		if err != nil {
			return at(c, err)
		}
		if r.included[name] {
			return at(c, fmt.Errorf("formats/mjcf: the file %s is included twice", fault.Name(name.String())))
		}
		if depth >= source.MaxDepth {
			return at(c, fmt.Errorf("formats/mjcf: files include each other deeper than %d", source.MaxDepth))
		}
		r.included[name] = true
		data, err := r.files.Include(name)
		if err != nil {
			return at(c, err)
		}
		sub, err := xmltree.Parse(name.String(), data)
		if err != nil {
			return err
		}
		if err := r.include(sub, depth+1, inside); err != nil {
			return err
		}
		r.Report.Tally(source.Used, 1+len(sub.Attrs))
		for _, x := range sub.Children {
			x.Parent = n
			n.Children = append(n.Children, x)
		}
	}
	return nil
}

// at returns err with the position of n.
func at(n *xmltree.Node, err error) error {
	p := n.Location()
	return fmt.Errorf("formats/mjcf: %s:%d:%d: %s", p.File, p.Line, p.Column, fault.Line(fault.Plain(err).Error()))
}
