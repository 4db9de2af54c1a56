package build_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestForeignHandles: the handle of another builder is refused although this one has a body and a terrain with the same
// number, whatever takes it.
func TestForeignHandles(t *testing.T) {
	other := build.New("other")
	heavy := other.Rod("heavy", 100, 0.1, spatial.Vec3{}, spatial.Vec3{9})
	hill := other.Terrain(model.Terrain{Name: "hill"})
	x, o := spatial.Vec3{1}, spatial.Vec3{}
	for name, use := range map[string]func(b *build.Builder, light build.Body){
		"Joint successor":   func(b *build.Builder, _ build.Body) { b.Revolute("j", build.World, heavy, o, x) },
		"Joint predecessor": func(b *build.Builder, light build.Body) { b.Revolute("j", heavy, light, o, x) },
		"Distance":          func(b *build.Builder, light build.Body) { b.Distance("j", light, heavy, o, x) },
		"CompositeJoint":    func(b *build.Builder, _ build.Body) { b.CompositeJoint("j", build.World, heavy) },
		"Move":              func(b *build.Builder, _ build.Body) { b.Move(heavy, o, x) },
		"SpringDamper":      func(b *build.Builder, light build.Body) { b.SpringDamper("s", light, heavy, o, x, build.Spring{}) },
		"Wrench":            func(b *build.Builder, _ build.Body) { b.Wrench("w", heavy, o, x, x) },
		"Bushing": func(b *build.Builder, light build.Body) {
			b.Bushing("u", light, heavy, build.At(0, 0, 0), model.Bushing{})
		},
		"Cable": func(b *build.Builder, light build.Body) {
			b.Cable("c", build.Spring{}, 0, build.Through{Body: light}, build.Through{Body: heavy, Point: x})
		},
		"Frame":   func(b *build.Builder, _ build.Body) { b.Frame("f", heavy, build.At(0, 0, 0)) },
		"Visual":  func(b *build.Builder, _ build.Body) { b.Visual(heavy, build.At(0, 0, 0), model.Visual{}) },
		"Contact": func(b *build.Builder, _ build.Body) { b.Contact("k", heavy, hill, contact.Shape{}, contact.Law{}) },
		"Wheel":   func(b *build.Builder, _ build.Body) { b.RollingOn("w", heavy, hill, build.Wheel{Axle: x, Radius: 1}) },
	} {
		t.Run(name, func(t *testing.T) {
			b := build.New("this")
			light := b.Rod("light", 1, 0.1, o, x)
			b.Terrain(model.Terrain{Name: "plain"})
			use(b, light)
			_, err := b.Model()
			require.ErrorContains(t, err, `body "heavy" is of another builder ("other")`)
			if name == "Contact" || name == "Wheel" {
				require.ErrorContains(t, err, "the terrain is not of this builder")
			}
		})
	}
}
