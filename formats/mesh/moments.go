package mesh

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// Moments are the mass properties of a solid or a shell of density 1.
type Moments struct {
	Mass    float64      // volume, m³, or area, m²
	Com     spatial.Vec3 // centre of mass, frame of the mesh, m
	Inertia spatial.Sym3 // about Com, axes of the mesh
}

// Reasons why a mesh has no mass properties, for errors.Is.
var (
	ErrFlat   = errors.New("formats/mesh: the mesh encloses no volume")
	ErrInside = errors.New("formats/mesh: the mesh is inside out: its triangles run clockwise seen from outside")
)

// flat is the volume, relative to the cube of the size, up to which a mesh counts as flat. It is far above rounding,
// 1e-16 times the number of triangles, and below the volume of a sheet whose thickness is a millionth of its size.
const flat = 1e-9

// Solid returns the mass properties of the solid that the mesh encloses: sums over the signed tetrahedra between the triangles and a
// point,
//
//	∫1 = Σ d/6,  ∫x = Σ d/24·s,  ∫x·xᵀ = Σ d/120·(s·sᵀ + a·aᵀ + b·bᵀ + c·cᵀ),  d = a·(b × c),  s = a + b + c,
//
// with the corners a, b, c of a triangle relative to the point. The
// point is the middle of the bounds; for a closed mesh the choice affects only rounding.
//
// Cost: O(triangles). It returns an error that wraps ErrFlat or ErrInside.
func (m *Mesh) Solid() (Moments, error) {
	at, size := m.middle()
	s := m.tetrahedra(at, signed)
	switch {
	case !(math.Abs(s.mass) > flat*size*size*size):
		return Moments{}, ErrFlat
	case s.mass < 0:
		return Moments{}, ErrInside
	}
	return s.moments(at), nil
}

// Convexoid returns mass properties as Solid does, but counts each tetrahedron as positive. For a convex mesh
// all are positive anyway; of a concave mesh some parts are counted more than once. This is the default rule of MuJoCo, in two
// steps. The first uses tetrahedra between the centre of the surface and the triangles, and gives the centre of mass. The
// second uses tetrahedra between this centre of mass and the triangles, and gives volume and inertia. The centre of mass
// stays as in the first step.
//
// Cost: O(triangles). It returns an error that wraps ErrFlat.
func (m *Mesh) Convexoid() (Moments, error) {
	shell, err := m.Shell()
	if err != nil {
		return Moments{}, err
	}
	_, size := m.middle()
	s := m.tetrahedra(shell.Com, math.Abs)
	if !(s.mass > flat*size*size*size) {
		return Moments{}, ErrFlat
	}
	com := shell.Com.Add(s.first.Scale(1 / s.mass))
	s = m.tetrahedra(com, math.Abs)
	s.first = spatial.Vec3{} // so that moments keeps com as the centre of mass
	return s.moments(com), nil
}

// Shell returns the mass properties of the surface itself: with the area A of a triangle,
//
//	∫1 = Σ A,  ∫x = Σ A/3·s,  ∫x·xᵀ = Σ A/12·(s·sᵀ + a·aᵀ + b·bᵀ + c·cᵀ).
//
// Cost: O(triangles). It returns an error that wraps ErrFlat if the area is zero.
func (m *Mesh) Shell() (Moments, error) {
	at, size := m.middle()
	var sum sums
	for _, t := range m.Triangles {
		a, b, c := m.Vertices[t[0]].Sub(at), m.Vertices[t[1]].Sub(at), m.Vertices[t[2]].Sub(at)
		area := b.Sub(a).Cross(c.Sub(a)).Norm() / 2
		sum.add(area, area/3, area/12, a, b, c)
	}
	if !(sum.mass > flat*size*size) {
		return Moments{}, ErrFlat
	}
	return sum.moments(at), nil
}

// Gap returns |ΣA⃗| / Σ|A⃗| of the areas of the triangles, which is zero for a closed mesh.
//
// Cost: O(triangles).
func (m *Mesh) Gap() float64 {
	var sum spatial.Vec3
	total := 0.0
	for _, t := range m.Triangles {
		a := m.Vertices[t[0]]
		n := m.Vertices[t[1]].Sub(a).Cross(m.Vertices[t[2]].Sub(a))
		sum = sum.Add(n)
		total += n.Norm()
	}
	if total == 0 {
		return 0
	}
	return sum.Norm() / total
}

// Bounds returns the smallest and the largest coordinates of the corners of the triangles; zeros if there are none.
func (m *Mesh) Bounds() (lo, hi spatial.Vec3) {
	for i, t := range m.Triangles {
		for _, k := range t {
			v := m.Vertices[k]
			if i == 0 {
				lo, hi = v, v
			}
			for d := range v {
				lo[d], hi[d] = min(lo[d], v[d]), max(hi[d], v[d])
			}
		}
	}
	return lo, hi
}

// middle returns the centre of the bounding box and the length of its longest edge.
func (m *Mesh) middle() (at spatial.Vec3, size float64) {
	lo, hi := m.Bounds()
	d := hi.Sub(lo)
	return lo.Add(d.Scale(0.5)), max(d[0], d[1], d[2])
}

// signed is the argument count of tetrahedra for volumes with their signs; math.Abs counts all as positive.
func signed(volume float64) float64 { return volume }

// tetrahedra sums over the tetrahedra between the triangles and a point. Each has the volume count(d)/6, d as in Solid.
func (m *Mesh) tetrahedra(at spatial.Vec3, count func(d float64) float64) (sum sums) {
	for _, t := range m.Triangles {
		a, b, c := m.Vertices[t[0]].Sub(at), m.Vertices[t[1]].Sub(at), m.Vertices[t[2]].Sub(at)
		d := count(a.Dot(b.Cross(c)))
		sum.add(d/6, d/24, d/120, a, b, c)
	}
	return sum
}

// sums are the integrals ∫1, ∫x and ∫x·xᵀ.
type sums struct {
	mass   float64
	first  spatial.Vec3
	second spatial.Sym3
}

// add adds the triangle with corners a, b, c, or the tetrahedron of these and the origin. k0, k1 and k2 are the factors of the three
// integrals.
func (u *sums) add(k0, k1, k2 float64, a, b, c spatial.Vec3) {
	s := a.Add(b).Add(c)
	u.mass += k0
	u.first = u.first.Add(s.Scale(k1))
	for _, v := range [...]spatial.Vec3{s, a, b, c} {
		u.second[0] += k2 * v[0] * v[0]
		u.second[1] += k2 * v[1] * v[1]
		u.second[2] += k2 * v[2] * v[2]
		u.second[3] += k2 * v[0] * v[1]
		u.second[4] += k2 * v[0] * v[2]
		u.second[5] += k2 * v[1] * v[2]
	}
}

// moments returns the mass properties, from sums relative to the point at. The inertia is
// tr(C)·1 − C, with the second moments C about the centre of mass.
func (u *sums) moments(at spatial.Vec3) Moments {
	r := u.first.Scale(1 / u.mass)
	C := u.second
	for k, ij := range [6][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}} {
		C[k] -= u.mass * r[ij[0]] * r[ij[1]]
	}
	return Moments{
		Mass: u.mass, Com: at.Add(r),
		Inertia: spatial.Sym3{C[1] + C[2], C[0] + C[2], C[0] + C[1], -C[3], -C[4], -C[5]},
	}
}
