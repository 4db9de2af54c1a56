package derive

// refusedFields adds the numbers that have no derivative, with the reason.
func refusedFields(list map[string]field) {
	for reason, paths := range map[string][]string{
		"it is a number of the structure": {
			"couplings[].law.of[].freedom", "couplings[].polynomial.of.freedom", "couplings[].terms[].freedom", "forces[].freedom",
			"forces[].samples",
			"forces[].shape.discs", "joints[].turns[]", "terrains[].seed", "terrains[].size[]",
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
		ofFile: {"terrains[].scale", "terrains[].offset", "terrains[].lowest", "terrains[].highest"},
	} {
		for _, path := range paths {
			list[path] = field{refused: reason}
		}
	}
}
