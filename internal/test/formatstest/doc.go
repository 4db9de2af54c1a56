// Package formatstest holds readers of foreign models to the answers of other engines. Models and answers keep their
// authors' licences and lie beside the repository: in the folder that RUNG_IMPORT_REFERENCE names, or in
// shared/reference/import of a folder above. Only tests import it.
package formatstest
