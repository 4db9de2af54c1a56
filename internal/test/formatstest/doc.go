// Package formatstest compares readers of foreign models with results that were computed by other means: results for this project's
// own models, in reference/import/truth, and results of other engines. Models of other authors keep their licences and are stored
// beside the repository: in the folder RUNG_IMPORT_REFERENCE, or in shared/reference/import of a folder above.
// Only tests import the package.
package formatstest
