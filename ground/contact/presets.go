package contact

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
)

// soilNames are the names in documents, in the order of the presets.
var soilNames = [...]string{"dry sand", "sandy loam", "clay", "snow", "lunar"}

// SoilPreset returns a soil by its name, without a width. The soils are "dry sand", "sandy loam", "clay" and "snow"
// (Wong 2008) and "lunar" (Carrier, Olhoeft & Mendell 1991); docs/ground.md has their numbers and where each is from.
//
// It returns an error that lists the names.
func SoilPreset(name string) (SoilLaw, error) {
	i, err := fault.Parse[uint8]("ground/contact: ", "soil", name, soilNames[:])
	if err != nil {
		return SoilLaw{}, err
	}
	const degree = math.Pi / 180
	// C0 and C1 of sand by Wong & Reece 1967: loose 0.18 and 0.32, compact 0.43 and 0.32.
	s := [len(soilNames)]SoilLaw{
		{Exponent: 1.1, Cohesive: 0.99e3, Friction: 1528.43e3, Cohesion: 1.04e3, Angle: 28 * degree, Shear: 0.025, C0: 0.18},
		{Exponent: 0.7, Cohesive: 5.27e3, Friction: 1515.04e3, Cohesion: 1.72e3, Angle: 29 * degree, Shear: 0.025, C0: 0.43},
		{Exponent: 0.5, Cohesive: 13.19e3, Friction: 692.15e3, Cohesion: 4.14e3, Angle: 13 * degree, Shear: 0.01, C0: 0.43},
		{Exponent: 1.6, Cohesive: 4.37e3, Friction: 196.72e3, Cohesion: 1.03e3, Angle: 19.7 * degree, Shear: 0.04, C0: 0.43},
		{Exponent: 1, Cohesive: 1.4e3, Friction: 820e3, Cohesion: 170, Angle: 35 * degree, Shear: 0.018, C0: 0.43},
	}[i]
	s.C1, s.LowSpeed = 0.32, DefaultLowSpeed
	return s, nil
}

// tyreNames are the names in documents.
var tyreNames = [...]string{"road"}

// TyrePreset returns a tyre by its name, and its peak forces along x and y over N. The only name is "road", dry tarmac; docs/ground.md
// has its numbers and where they are from.
//
// It returns an error that lists the names.
func TyrePreset(name string) (t TyreLaw, coefficient [2]float64, err error) {
	if _, err := fault.Parse[uint8]("ground/contact: ", "tyre", name, tyreNames[:]); err != nil {
		return t, coefficient, err
	}
	c := Curve{B: 10, C: 1.9, E: 0.97}
	return TyreLaw{Long: c, Lat: c, LowSpeed: DefaultLowSpeed}, [2]float64{1, 1}, nil
}
