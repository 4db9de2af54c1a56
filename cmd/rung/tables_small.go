//go:build small

package main

import "github.com/spf13/cobra"

// haveTables leaves the commands of root without models in tables.
func haveTables(*cobra.Command) {}
