package fmu_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"log"
	"os"

	"github.com/rung-mbd/rung/door/fmu"
	"github.com/rung-mbd/rung/model"
)

// A four-bar with the torque at its crank as an input.
func Example() {
	f, err := os.Open("../../docs/four-bar.model.json")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	m, err := model.Read(f, f.Name())
	if err != nil {
		log.Fatal(err)
	}
	var unit bytes.Buffer
	o := fmu.Options{Version: 3, Inputs: []string{"joints[O].force[0]"}, Outputs: []string{"joint.O.q"}}
	if _, err := fmu.Write(context.Background(), &unit, m, "", o); err != nil {
		log.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(unit.Bytes()), int64(unit.Len()))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range z.File {
		fmt.Println(f.Name)
	}
	// Output:
	// modelDescription.xml
	// resources/model.json
	// resources/wiring.json
	// documentation/index.html
}
