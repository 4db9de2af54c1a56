// Package formatstest holds readers of foreign models to answers that were computed by other means: those of this project's
// own models, in reference/import/truth, and those of other engines. Models of others keep their authors' licences and lie
// beside the repository: in the folder that RUNG_IMPORT_REFERENCE names, or in shared/reference/import of a folder above.
// Only tests import it.
package formatstest
