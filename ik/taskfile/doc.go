// Package taskfile reads and writes tasks of inverse kinematics as documents of rung-ik/1, the format of the command rung ik.
//
//	task, err := taskfile.Open("reach.json") // and the waypoints in a file that it names
//	err = taskfile.Write(os.Stdout, task)    // without defaults
//
// [Read] and [ReadIn] read a document from an io.Reader. Faults of a document are returned as one *model.Problems, each with its
// JSON path. If the task could be read in part, it is returned too: ik.NewProblem reports these problems together with its own.
//
// [Schema] returns the JSON Schema of the documents, [ResultSchema] the schema of results, which encoding/json writes (ik.Result).
//
// Cost: O(bytes of the document). The functions may be called at the same time.
//
// The format is described in [cli.md]. Units: SI, radians.
//
// [cli.md]: https://github.com/rung-mbd/rung/blob/main/docs/cli.md#rung-ik
package taskfile
