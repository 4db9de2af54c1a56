// Package clitest runs command lines of rung in tests, and holds each document that they print against its schema.
package clitest
