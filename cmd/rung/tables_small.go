//go:build small

package main

import "github.com/spf13/cobra"

// haveTables does nothing: small builds have no models in tables.
func haveTables(*cobra.Command) {}
