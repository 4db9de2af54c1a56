package taskfile

import "github.com/rung-mbd/rung/ik"

// format is the value of the "format" field of every task.
const format = "rung-ik/1"

// targetFields are the fields of a target.
var targetFields = []string{
	"name", "type", "body", "frame", "point", "relative_to", "position", "orientation", "axis", "direction", "to", "length",
	"freedom", "value", "turns", "bodies", "weight", "priority", "tolerance", "rate",
}

// Indexes of targetFields.
const (
	targetName = iota
	targetType
	targetBody
	targetFrame
	targetPoint
	targetRelativeTo
	targetPosition
	targetOrientation
	targetAxis
	targetDirection
	targetTo
	targetLength
	targetFreedom
	targetValue
	targetTurns
	targetBodies
	targetWeight
	targetPriority
	targetTolerance
	targetRate
)

// targetParts has, for each type of target, the fields that it must have, the fields that it must have unless the path gives
// them, and the fields that it may have. Besides, all types have name, type, weight, priority, tolerance and rate.
var targetParts = [ik.NumTargetTypes]struct{ must, wanted, may []int }{
	ik.Point:       {[]int{targetBody}, []int{targetPosition}, []int{targetFrame, targetPoint, targetRelativeTo}},
	ik.Orientation: {[]int{targetBody}, []int{targetOrientation}, []int{targetFrame, targetRelativeTo}},
	ik.PoseTarget:  {[]int{targetBody}, []int{targetPosition, targetOrientation}, []int{targetFrame, targetPoint, targetRelativeTo}},
	ik.Axis:        {[]int{targetBody, targetAxis, targetDirection}, nil, []int{targetFrame, targetRelativeTo}},
	ik.Plane:       {[]int{targetBody, targetDirection}, []int{targetPosition}, []int{targetFrame, targetPoint, targetRelativeTo}},
	ik.Distance:    {[]int{targetBody, targetTo}, []int{targetLength}, []int{targetFrame, targetPoint}},
	ik.Coordinate:  {[]int{targetFreedom}, []int{targetValue}, []int{targetTurns}},
	ik.Com:         {nil, []int{targetPosition}, []int{targetBodies, targetRelativeTo}},
}
