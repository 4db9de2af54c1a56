package xmltree_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
)

// A reader takes what it knows, and nothing is lost in silence.
func Example() {
	root, err := xmltree.Parse("cart.xml", []byte(`<cart mass="3">
  <wheel radius="0.1"/>
  <wheel radius="big"/>
  <paint color="red"/>
</cart>`))
	if err != nil {
		log.Fatal(err)
	}
	var report source.Report
	v := xmltree.Values{Report: &report}
	fmt.Println("mass", v.Number(root.Use(), "mass", 1))
	for _, n := range root.Children {
		if n.Name == "wheel" {
			fmt.Println("radius", v.Number(n.Use(), "radius", 1))
		}
	}
	xmltree.Account(root, xmltree.NewTable([]xmltree.Rule{
		{Element: "cart", Class: source.Used, Used: "mass"},
		{Element: "wheel", Class: source.Used, Used: "radius"},
		{Element: "paint", Class: source.Ignored, Why: "has no mass"},
	}), &report)
	for i := range report.Entries {
		fmt.Println(report.Entries[i].String())
	}
	// Output:
	// mass 3
	// radius 0.1
	// radius 1
	// cart.xml:3:3: error: /cart/wheel[2]: attribute "radius": "big" is not a number
	// cart.xml:4:3: note: /cart/paint: elements "paint" have no effect on the motion: has no mass
}
