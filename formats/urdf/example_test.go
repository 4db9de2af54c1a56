package urdf_test

import (
	"fmt"
	"log"
	"testing/fstest"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/urdf"
)

// A robot with one joint; what a simulator of rigid bodies has no use for is counted.
func Example() {
	const text = `<robot name="door">
  <link name="frame"/>
  <link name="leaf">
    <inertial><origin xyz="0.5 0 0"/><mass value="20"/><inertia ixx="0.1" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="frame"/><child link="leaf"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1.5" effort="100" velocity="2"/>
    <calibration rising="0"/>
  </joint>
</robot>`
	files := source.NewFiles(fstest.MapFS{"door.urdf": {Data: []byte(text)}}, nil) // or os.DirFS
	result, report, err := urdf.Read(files, source.Name{Path: "door.urdf"}, &source.Options{Base: source.BaseFixed})
	if err != nil {
		log.Fatal(err)
	}
	j := &result.Model.Joints[0]
	fmt.Println(j.Name, j.Type, j.Predecessor, j.Successor, j.Limits[0].Upper)
	fmt.Println("ignored:", report.Counts.Ignored, "dropped:", report.Counts.Dropped)
	// Output:
	// hinge revolute world leaf 1.5
	// ignored: 2 dropped: 0
}
