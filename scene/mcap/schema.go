package mcap

import "encoding/json"

// The types of this file are messages of Foxglove's schemas, with the fields that a scene needs; readers take a missing field for
// empty. A type has the name of its message, and the tag of a field has the name of the field there.

type stamp struct {
	Sec  uint32 `json:"sec"`
	Nsec uint32 `json:"nsec"`
}

type vector struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	Z float64 `json:"z"`
}

type quaternion struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	Z float64 `json:"z"`
	W float64 `json:"w"`
}

type frameTransforms struct {
	Transforms []frameTransform `json:"transforms"`
}

type frameTransform struct {
	Timestamp   stamp      `json:"timestamp"`
	Parent      string     `json:"parent_frame_id"`
	Child       string     `json:"child_frame_id"`
	Translation vector     `json:"translation"`
	Rotation    quaternion `json:"rotation"`
}

type sceneUpdate struct {
	Deletions []struct{}    `json:"deletions"`
	Entities  []sceneEntity `json:"entities"`
}

type sceneEntity struct {
	Timestamp   stamp          `json:"timestamp"`
	Frame       string         `json:"frame_id"`
	ID          string         `json:"id"`
	Lifetime    stamp          `json:"lifetime"` // zero: until another entity with this ID comes
	FrameLocked bool           `json:"frame_locked"`
	Metadata    []keyValue     `json:"metadata"`
	Cubes       []solid        `json:"cubes"`
	Spheres     []solid        `json:"spheres"`
	Cylinders   []solid        `json:"cylinders"`
	Triangles   []triangleList `json:"triangles"`
}

type keyValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

type pose struct {
	Position    vector     `json:"position"`
	Orientation quaternion `json:"orientation"`
}

type color struct {
	R float64 `json:"r"`
	G float64 `json:"g"`
	B float64 `json:"b"`
	A float64 `json:"a"`
}

// solid is a CubePrimitive, a SpherePrimitive or a CylinderPrimitive. Size
// is the whole extent. A cylinder alone has Bottom and Top, scales of its ends.
type solid struct {
	Pose   pose     `json:"pose"`
	Size   vector   `json:"size"`
	Bottom *float64 `json:"bottom_scale,omitempty"`
	Top    *float64 `json:"top_scale,omitempty"`
	Color  color    `json:"color"`
}

// triangleList is a TriangleListPrimitive.
type triangleList struct {
	Pose    pose     `json:"pose"`
	Points  []vector `json:"points"`
	Color   color    `json:"color"`
	Colors  []color  `json:"colors"`
	Indices []int32  `json:"indices"`
}

// object is the JSON Schema of an object, by the schemas of its properties.
type object map[string]any

func (o object) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type       string         `json:"type"`
		Properties map[string]any `json:"properties"`
	}{"object", o})
}

// list returns the JSON Schema of an array.
func list(of any) any { return map[string]any{"type": "array", "items": of} }

// kind returns the JSON Schema of a primitive type.
func kind(name string) any { return map[string]any{"type": name} }

// schemas returns the JSON Schemas of the two messages, by which viewers read them.
func schemas() (transforms, update []byte, err error) {
	number, text := kind("number"), kind("string")
	time := object{"sec": kind("integer"), "nsec": kind("integer")}
	vec := object{"x": number, "y": number, "z": number}
	quat := object{"x": number, "y": number, "z": number, "w": number}
	at := object{"position": vec, "orientation": quat}
	rgba := object{"r": number, "g": number, "b": number, "a": number}
	round := object{"pose": at, "size": vec, "color": rgba}
	transforms, err = titled("foxglove.FrameTransforms", object{"transforms": list(object{"timestamp": time, "parent_frame_id": text, "child_frame_id": text,
		"translation": vec, "rotation": quat})})
	if err != nil {
		return nil, nil, err
	}
	update, err = titled("foxglove.SceneUpdate", object{
		"deletions": list(object{"timestamp": time, "type": kind("integer"), "id": text}),
		"entities": list(object{"timestamp": time, "frame_id": text, "id": text, "lifetime": time, "frame_locked": kind("boolean"),
			"metadata": list(object{"key": text, "value": text}), "cubes": list(round), "spheres": list(round),
			"cylinders": list(object{"pose": at, "size": vec, "bottom_scale": number, "top_scale": number, "color": rgba}),
			"triangles": list(object{"pose": at, "points": list(vec), "color": rgba, "colors": list(rgba), "indices": list(kind("integer"))})})})
	return transforms, update, err
}

// titled returns the JSON Schema of an object with a title.
func titled(title string, o object) ([]byte, error) {
	return json.Marshal(struct {
		Schema     string         `json:"$schema"`
		Title      string         `json:"title"`
		Type       string         `json:"type"`
		Properties map[string]any `json:"properties"`
	}{"https://json-schema.org/draft/2020-12/schema", title, "object", o})
}
