// Package clitest runs command lines of rung in tests, and checks each document that they print against its schema.
package clitest
