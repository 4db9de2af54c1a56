#!/usr/bin/env bash
# Installs what is missing, builds Rung and its peers, and measures them side by side.
#
#   bench/peers/run.sh [--no-install] [flags of the driver]
#   bench/peers/run.sh [--no-install] -precision [flags of bench/precision]
#   bench/peers/run.sh [--no-install] -derivatives [flags of bench/gradients]
#   bench/peers/run.sh -h
#
# With -precision, what is measured is work against precision (bench/precision), beside the engines alone; with -derivatives, derivatives
# (bench/gradients), beside these and ADOL-C.
# The tables go to standard output, the records to peers.csv beside this file (-csv FILE), progress to standard error. BUILD names the
# folder of the programs (default: one in the user's cache).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${BUILD:-${XDG_CACHE_HOME:-$HOME/.cache}/rung-peers}

install=yes
part=
while :; do
	case "${1:-}" in
	--no-install) install=no ;;
	-precision | -derivatives) part=${1#-} ;;
	*) break ;;
	esac
	shift
done

say() { echo "$*" >&2; }

packages=(g++ libsuitesparse-dev libmetis-dev libmumps-seq-dev libeigen3-dev libopenblas-pthread-dev libsimbody-dev libmujoco-dev liborocos-kdl-dev)
[ "$part" = precision ] && packages=(g++ libsimbody-dev libmujoco-dev)
[ "$part" = derivatives ] && packages=(g++ libsimbody-dev libmujoco-dev libadolc-dev libeigen3-dev)

# installed PACKAGE
installed() { [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null)" = "ii " ]; }

missing=()
if command -v dpkg-query >/dev/null; then
	for p in "${packages[@]}"; do
		installed "$p" || missing+=("$p")
	done
fi
if [ ${#missing[@]} -gt 0 ] && [ $install = yes ]; then
	if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
		say "installing ${missing[*]}"
		apt-get update -qq >&2 || say "apt-get update failed"
		for p in "${missing[@]}"; do # one by one: one that is not to be had does not stop the others
			DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$p" </dev/null >&2 || say "skipped: package $p cannot be installed"
		done
	else
		say "not installed, and only root of a Debian system can: ${missing[*]}"
	fi
fi

common=(-std=c++17 -Wall -I/usr/include/suitesparse -isystem /usr/include/eigen3 -isystem /usr/include/simbody)
mkdir -p "$build/native" "$build/o2"
kinds=(native o2)
[ -n "$part" ] && kinds=(native)

# compile PROGRAM PACKAGE LIBRARY...: its builds, or a message if a library is not there. Programs are not built again
# unless their sources changed.
compile() {
	local program=$1 package=$2
	shift 2
	local kind flags
	for kind in "${kinds[@]}"; do
		flags=(-O2)
		[ $kind = native ] && flags=(-O3 -march=native)
		local out=$build/$kind/$program
		if [ -x "$out" ] && [ -z "$(find "$here/cpp" "$0" -newer "$out" -type f)" ]; then
			continue
		fi
		rm -f "$out"
		if ! g++ "${common[@]}" "${flags[@]}" "$here/cpp/$program.cpp" -o "$out" "$@" 2>"$out.log"; then
			say "skipped: $program does not build ($(grep -m 1 -E 'error|cannot find' "$out.log" || echo 'no compiler?')); package $package"
			return
		fi
	done
}

command -v g++ >/dev/null || { say "g++ is not installed; there is nothing to measure against"; exit 1; }

simbody=(-lSimTKsimbody -lSimTKmath -lSimTKcommon)
case $part in
precision)
	compile simbody_motion libsimbody-dev "${simbody[@]}"
	compile mujoco_motion libmujoco-dev -lmujoco
	(cd "$root" && go build -o "$build/precision" ./bench/precision)
	exec "$build/precision" -root "$root" -peers "$build/native" "$@"
	;;
derivatives)
	compile simbody_derivatives libsimbody-dev "${simbody[@]}"
	compile mujoco_derivatives libmujoco-dev -lmujoco
	compile adolc_derivatives "libadolc-dev or libeigen3-dev" -ladolc "-DADOLC=\"$(dpkg-query -W -f '${Version}' libadolc-dev 2>/dev/null || echo 'of a version that is not known')\"" # it does not say
	(cd "$root" && go build -o "$build/gradients" ./bench/gradients)
	exec "$build/gradients" -root "$root" -peers "$build/native" "$@"
	;;
esac

metis=()
if echo '#include <metis.h>' | g++ -E -x c++ - >/dev/null 2>&1; then
	metis=(-DHAVE_METIS -lmetis)
else
	say "skipped: orders by METIS, package libmetis-dev"
fi
compile convert g++
compile order libsuitesparse-dev -lamd "${metis[@]}"
compile ldl libsuitesparse-dev -lldl
compile cholmod libsuitesparse-dev -lcholmod
compile umfpack libsuitesparse-dev -lumfpack
compile mumps libmumps-seq-dev -ldmumps_seq
compile eigen libeigen3-dev
compile simbody libsimbody-dev "${simbody[@]}"
compile mujoco libmujoco-dev -lmujoco
compile rollouts libmujoco-dev -lmujoco -lpthread
compile kdl liborocos-kdl-dev -lorocos-kdl

(cd "$root" && go build -o "$build/rung" ./cmd/rung && go build -o "$build/reach" ./bench/reach && go build -o "$build/rollout" ./bench/rollout)
(cd "$here" && go build -o "$build/peers" .)

# What a published table has to name.
{
	echo "- Processor: $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1), $(nproc) cores; everything on one thread unless two are named"
	echo "- Rung: commit $(cd "$root" && git describe --always --dirty 2>/dev/null || echo unknown), $(go env GOVERSION), GOAMD64=$(go env GOAMD64)"
	echo "- Builds of the peers' own code: $(g++ --version | head -n 1), native: -O3 -march=native, o2: -O2; the libraries themselves as packaged"
	echo "- BLAS: $(readlink -f /usr/lib/*/libblas.so.3 2>/dev/null | head -n 1 | xargs -r basename -a || true) of $(dirname "$(readlink -f /usr/lib/*/libblas.so.3 2>/dev/null | head -n 1)" | xargs -r basename)"
	if command -v dpkg-query >/dev/null; then
		printf -- '- Packages:'
		for p in "${packages[@]}"; do
			if installed "$p"; then dpkg-query -W -f ' ${Package} ${Version};' "$p"; else printf ' %s not installed;' "$p"; fi
		done
		echo
	fi
} >"$build/facts.md"

exec "$build/peers" -rung "$build/rung" -bin "$build" -facts "$build/facts.md" -reference "$root/reference" -csv "$here/peers.csv" "$@"
