package derive

// refusedFields adds the numbers that have no derivative, with the reason.
func refusedFields(list map[string]field) {
	for reason, paths := range map[string][]string{
		"it is a number of the structure": {
			"couplings[].law.of[].freedom", "couplings[].polynomial.of.freedom", "couplings[].terms[].freedom", "forces[].freedom",
			"forces[].samples",
			"forces[].shape.discs", "joints[].turns[]", "terrains[].seed",
		},
		"no force depends on it": {
			"joints[].limits[].force", "joints[].limits[].rate", "joints[].limits[].stop.impact_speed",
			"joints[].curve.parameter", "joints[].successor_curve.parameter", "frames[].pose.orientation[]", "frames[].pose.position[]",
			"visuals[].color[]", "visuals[].pose.orientation[]", "visuals[].pose.position[]", "visuals[].scale[]", "visuals[].size[]",
			"source.report[].column", "source.report[].count", "source.report[].line",
		},
		"the places of the points of a law have none; their values do": {
			"couplings[].law.x[]", "couplings[].law.y[]", "couplings[].law.of[].advance", "couplings[].law.of[].range[]", "forces[].damper.at[]",
			"forces[].spring.at[]", "joints[].dampers[].at[]", "joints[].springs[].at[]",
		},
		"the shape of a curve has none yet; the frame that it stands in does": {
			"joints[].curve.axis[]", "joints[].curve.center[]", "joints[].curve.ends[][]", "joints[].curve.parameters[]",
			"joints[].curve.points[][]",
			"joints[].curve.radius", "joints[].curve.range[]", "joints[].curve.start[]", "joints[].successor_curve.axis[]",
			"joints[].successor_curve.center[]",
			"joints[].successor_curve.ends[][]", "joints[].successor_curve.parameters[]", "joints[].successor_curve.points[][]",
			"joints[].successor_curve.radius", "joints[].successor_curve.range[]", "joints[].successor_curve.start[]",
		},
		"axes and rest of a bushing have none yet; its points, force, stiffness and damping do": {
			"forces[].a.orientation[]", "forces[].b.orientation[]", "forces[].rest.orientation[]", "forces[].rest.position[]",
		},
		"these numbers of contacts have none yet; stiffness, dissipation, damping and coefficients do": {
			"forces[].drilling.speed", "forces[].friction.angle", "forces[].friction.c0", "forces[].friction.c1",
			"forces[].friction.cohesion", "forces[].friction.cohesive_modulus",
			"forces[].friction.exponent", "forces[].friction.frictional_modulus", "forces[].friction.hold.damping", "forces[].friction.hold.travel",
			"forces[].friction.lat.b", "forces[].friction.lat.c", "forces[].friction.lat.e", "forces[].friction.long.b", "forces[].friction.long.c",
			"forces[].friction.long.e", "forces[].friction.low_speed", "forces[].friction.recovery", "forces[].friction.relaxation",
			"forces[].friction.shear", "forces[].friction.slip_speed", "forces[].friction.width", "forces[].normal.exponent",
			"forces[].rolling.speed",
			"forces[].shape.axis[]",
			"forces[].shape.center[]", "forces[].shape.radius", "forces[].shape.tyre_radius", "forces[].shape.width",
		},
		"the coefficients along and across have none yet; one for both has": {"forces[].friction.coefficient[]"},
		"terrains have none yet": {
			"terrains[].heights[][]", "terrains[].highest", "terrains[].hurst", "terrains[].length", "terrains[].lowest", "terrains[].normal[]",
			"terrains[].offset", "terrains[].origin[]", "terrains[].point[]", "terrains[].rms", "terrains[].scale", "terrains[].size[]",
			"terrains[].spacing[]",
		},
	} {
		for _, path := range paths {
			list[path] = field{refused: reason}
		}
	}
}
