package motion

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/tree"
)

// Method is a way to compute accelerations.
type Method uint8

// The methods. Sparse is the method of package kkt; its cost is proportional to the size of mechanisms such as ladders. The
// others are methods of package tree, in the joint coordinates of a spanning tree; their cost grows at least with the square
// of the size.
const (
	Sparse Method = iota
	TreeDirect
	TreeLambda
	TreeProjection
)

// treePrefix begins the names of tree methods.
const treePrefix = "tree-"

// Methods returns all methods.
func Methods() []Method { return []Method{Sparse, TreeDirect, TreeLambda, TreeProjection} }

// String returns the name of the method in docs/cli.md.
func (m Method) String() string {
	if t, ok := m.Tree(); ok {
		return treePrefix + t.String()
	}
	if m == Sparse {
		return "sparse"
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

// Tree returns the method of package tree, and false if m is none, as Sparse.
func (m Method) Tree() (tree.Method, bool) {
	return tree.Method(m - TreeDirect), m >= TreeDirect && m <= TreeProjection
}

// ParseMethod returns the method whose String is name.
//
// If there is none, it returns an error with the nearest name.
func ParseMethod(name string) (Method, error) {
	var names []string
	for _, m := range Methods() {
		if m.String() == name {
			return m, nil
		}
		names = append(names, m.String())
	}
	return Sparse, fault.Errorf("motion: no such method: %s%s", fault.Name(name), fault.Meant(name, names...))
}
