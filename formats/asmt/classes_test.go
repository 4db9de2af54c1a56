package asmt_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

// TestClasses walks the list of elements of the format. Documents are written as XML first, as for other formats,
// for the walk to add elements to.
func TestClasses(t *testing.T) {
	const mass = `<PrincipalMassMarker><Mass>2</Mass><MomentOfInertias>1 1 1</MomentOfInertias></PrincipalMassMarker>`
	part := func(name string) string {
		return `<Part><Name>` + name + `</Name>` + mass + `<RefPoints><RefPoint><Markers><Marker><Name>m</Name></Marker></Markers></RefPoint></RefPoints></Part>`
	}
	base := func(element string) string {
		joints, motions, limits := "", "", ""
		const ends = `<MarkerI>/A/a/m</MarkerI><MarkerJ>/A/b/m</MarkerJ>`
		below := func(list string) string {
			_, rest, _ := strings.Cut(element, "/"+list+"/")
			name, _, _ := strings.Cut(rest, "/")
			return name
		}
		on := "RevoluteJoint"
		if name := below("Motions") + below("Limits"); strings.HasPrefix(name, "Translation") {
			on = "TranslationalJoint"
		}
		if name := below("Joints"); name != "" {
			on = name
		}
		joints = `<` + on + `><Name>j</Name>` + ends + `</` + on + `>`
		if name := below("Motions"); name != "" {
			motions = `<` + name + `><Name>d</Name><MotionJoint>/A/j</MotionJoint></` + name + `>`
		}
		if name := below("Limits"); name != "" {
			limits = `<` + name + `><Name>d</Name><MotionJoint>/A/j</MotionJoint></` + name + `>`
		}
		return `<Assembly><Name>A</Name><Parts>` + part("a") + part("b") + `</Parts><ConstraintSets><Joints>` + joints + `</Joints><Motions>` + motions + `</Motions><Limits>` + limits + `</Limits></ConstraintSets></Assembly>`
	}
	values := map[string]string{
		"Name": "x", "Position3D": "0 0 0", "Velocity3D": "0 0 0", "Omega3D": "0 0 0", "RotationMatrix": "1 0 0 0 1 0 0 0 1", "MomentOfInertias": "1 1 1",
		"ConstantGravity": "0 0 -9.81", "MarkerI": "/A/a/m", "MarkerJ": "/A/b/m", "MotionJoint": "/A/j", "type": "=>", "Type": "=>", "RotationOrder": "1 2 3", "MarkerKSign": "O",
	}
	for name := range strings.FieldsSeq(`PrincipalMassMarker RefPoints RefPoint Markers Marker Parts Part KinematicIJs KinematicIJ ConstraintSets Joints Motions Limits GeneralConstraintSets
		ForceTorques ForcesTorques SimulationParameters AnimationParameters FeatureOrder Extrusion RefCurves RefCurve RefSurfaces RefSurface TimeSeries
		ForceTorque InLineForceTorque GeneralForceTorque GeneralMotion AllowRotation nframe icurrent istart iend isForward framesPerSecond`) {
		values[name] = "" // it has elements, or is in what is skipped
	}
	formatstest.Classes(t, "testdata/classes.txt", base, values, func(doc []byte, o *source.Options) *source.Report {
		_, report, _ := read(tabbed(t, doc), *o)
		return report
	})
}

// tabbed returns the elements of an XML document as the lines of a file of the format; results stand after the assembly.
func tabbed(t *testing.T, doc []byte) string {
	var b strings.Builder
	b.WriteString("OndselSolver\n")
	d, depth, results := xml.NewDecoder(strings.NewReader(string(doc))), 0, false
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "TimeSeries" {
				results = true
			} else {
				b.WriteString(lines(depth, token.Name.Local))
			}
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			if text := strings.TrimSpace(string(token)); text != "" {
				b.WriteString(lines(depth, text))
			}
		}
	}
	if results {
		b.WriteString("TimeSeries\nNumber\tInput\t1\nTime\tInput\t0\n")
	}
	return b.String()
}
