package derive

import "github.com/rung-mbd/rung/spatial"

// vec is a spatial.Vec3 whose numbers the compiler keeps in registers.
type vec struct{ x, y, z float64 }

func vecOf(v *spatial.Vec3) vec { return vec{v[0], v[1], v[2]} }

func (a vec) vec3() spatial.Vec3 { return spatial.Vec3{a.x, a.y, a.z} }

func (a vec) add(b vec) vec { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }

func (a vec) sub(b vec) vec { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }

func (a vec) scale(s float64) vec { return vec{s * a.x, s * a.y, s * a.z} }

func (a vec) dot(b vec) float64 { return a.x*b.x + a.y*b.y + a.z*b.z }

func (a vec) cross(b vec) vec {
	return vec{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x}
}

// addTo adds a to v.
func (a vec) addTo(v *spatial.Vec3) {
	v[0] += a.x
	v[1] += a.y
	v[2] += a.z
}

// takeFrom subtracts a from v.
func (a vec) takeFrom(v *spatial.Vec3) {
	v[0] -= a.x
	v[1] -= a.y
	v[2] -= a.z
}

// turned returns E·a.
func (a vec) turned(E *spatial.Mat3) vec {
	return vec{E[0]*a.x + E[1]*a.y + E[2]*a.z, E[3]*a.x + E[4]*a.y + E[5]*a.z, E[6]*a.x + E[7]*a.y + E[8]*a.z}
}

// within returns Eᵀ·a.
func (a vec) within(E *spatial.Mat3) vec {
	return vec{E[0]*a.x + E[3]*a.y + E[6]*a.z, E[1]*a.x + E[4]*a.y + E[7]*a.z, E[2]*a.x + E[5]*a.y + E[8]*a.z}
}

// set6 stores a and b in to, which has six entries.
func set6(to []float64, a, b spatial.Vec3) {
	copy(to[:3], a[:])
	copy(to[3:6], b[:])
}
