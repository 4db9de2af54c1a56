package mjcf_test

import (
	"fmt"
	"log"
	"testing/fstest"

	"github.com/rung-mbd/rung/formats/mjcf"
	"github.com/rung-mbd/rung/formats/source"
)

// Two links of MuJoCo, the second held at its end: the equality closes a loop.
func Example() {
	const text = `<mujoco model="arch">
  <worldbody>
    <body name="left">
      <joint name="a" type="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0.5" size="0.02"/>
      <body name="right" pos="0.5 0 0.5">
        <joint name="b" type="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.5 0 -0.5" size="0.02"/>
      </body>
    </body>
  </worldbody>
  <equality><connect name="c" body1="right" anchor="0.5 0 -0.5"/></equality>
</mujoco>`
	files := source.NewFiles(fstest.MapFS{"arch.xml": {Data: []byte(text)}}, nil) // or os.DirFS
	result, _, err := mjcf.Read(files, source.Name{Path: "arch.xml"}, &source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, j := range result.Model.Joints {
		fmt.Println(j.Name, j.Type, j.Predecessor, j.Successor)
	}
	// Output:
	// a revolute world left
	// b revolute left right
	// c spherical right world
}
