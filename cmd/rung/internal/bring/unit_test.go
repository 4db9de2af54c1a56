package bring_test

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
)

// library writes the head of a shared library for a processor.
func library(t *testing.T, path string, of elf.Machine) {
	t.Helper()
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(of), Version: uint32(elf.EV_CURRENT), Ehsize: 64}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	var b bytes.Buffer
	require.NoError(t, binary.Write(&b, binary.LittleEndian, &h))
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
}

// TestExportUnit: a unit has the libraries in the folder of their system, and equal runs give equal bytes.
func TestExportUnit(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"rung-fmu.so", "librung.so"} {
		library(t, filepath.Join(dir, name), elf.EM_AARCH64)
	}
	var files [2][]byte
	for i := range files {
		out := filepath.Join(dir, "x.fmu")
		clitest.MustFit(t, "export", command.OK(t, "export", "../../../../docs/four-bar.model.json", "-o", out, "--fmi", "3", "--json",
			"--inputs", "joints[O].force[0]", "--parameters", "gravity[0],gravity[1]", "--libraries", dir))
		var err error
		files[i], err = os.ReadFile(out)
		require.NoError(t, err)
	}
	require.Equal(t, files[0], files[1])
	z, err := zip.NewReader(bytes.NewReader(files[0]), int64(len(files[0])))
	require.NoError(t, err)
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	require.Contains(t, names, "binaries/aarch64-linux/rung.so")
	require.Contains(t, names, "binaries/aarch64-linux/librung-1.so")
}

// TestExportUnitRefuses: what is missing is named with how it is built, and flags of units are for units.
func TestExportUnitRefuses(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "x.fmu")
	refused := func(text string, args ...string) {
		t.Helper()
		r := command.Run(append([]string{"export", "../../../../docs/four-bar.model.json"}, args...)...)
		require.Equal(t, shell.ExitUse, r.Status)
		require.Contains(t, r.Err, text)
		require.NoFileExists(t, out)
	}
	refused("no rung-fmu.so and librung.so, which a unit needs: make fmu-stub library LIBDIR=FOLDER", "-o", out, "--libraries", dir)
	library(t, filepath.Join(dir, "rung-fmu.so"), elf.EM_AARCH64)
	refused("no librung.so, which a unit needs: make library LIBDIR=FOLDER", "-o", out, "--libraries", dir)
	library(t, filepath.Join(dir, "librung.so"), elf.EM_X86_64)
	refused("rung-fmu.so and librung.so are of different processors", "-o", out, "--libraries", dir)
	library(t, filepath.Join(dir, "librung.so"), elf.EM_RISCV)
	refused("a library for EM_RISCV", "-o", out, "--libraries", dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "librung.so"), []byte("text"), 0o666))
	refused("librung.so: no shared library of Linux", "-o", out, "--libraries", dir)
	library(t, filepath.Join(dir, "librung.so"), elf.EM_AARCH64)
	refused("--fmi 4: there are 2 and 3", "-o", out, "--fmi", "4")
	refused(`no knob "joints[O].forse[0]"`, "-o", out, "--libraries", dir, "--inputs", "joints[O].forse[0]")
	refused("--inputs is for units, files that end in .fmu", "-o", filepath.Join(dir, "x.sdf"), "--inputs", "gravity[1]")
}
