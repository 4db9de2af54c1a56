#!/usr/bin/env bash
# Makes units of eight models and seven runs more in both versions of FMI, and moves them as a tool does: by co-simulation, whose bits are those of rung
# simulate, and by model exchange (load.c, exchange.c). With SUNDIALS there is CVODE, too. make fmi calls it with the command, the folder of the
# libraries and Python.
set -euo pipefail
rung=$1 libraries=$2 python=$3
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cc=(${CC:-gcc} -std=c99 -D_GNU_SOURCE -Wall -Wextra -Werror)

# All functions of the headers of both versions are there, and nothing else.
LC_ALL=C diff "$here/functions.txt" <(nm -D --defined-only "$libraries/rung-fmu.so" | sed 's/.* //' | LC_ALL=C sort)
echo "functions: $(grep -c . "$here/functions.txt")"

read -ra under <<<"${VALGRIND:-}" # what the tools run under
sundials=(-DSUNDIALS -lsundials_cvode -lsundials_nvecserial -lsundials_sunlinsoldense -lsundials_sunmatrixdense)
if ! echo '#include <cvode/cvode.h>' | "${cc[@]}" -E - >/dev/null 2>&1; then
	sundials=()
	echo "CVODE: NOT RUN; it takes Debian's libsundials-dev"
	[ -z "${NOTRUN:-}" ] || printf 'step\t\tmake fmi: CVODE\t%s\n' "it takes Debian's libsundials-dev" >>"$NOTRUN"
fi
# The tools of FMI 2.0 run where 0,5 is a number.
comma=(env "LOCPATH=$dir" RUNG_COMMA=de_DE.UTF-8)
if ! localedef -i de_DE -f UTF-8 "$dir/de_DE.UTF-8" 2>/dev/null; then
	comma=()
	echo "decimal commas: NOT RUN; they take Debian's locales"
	[ -z "${NOTRUN:-}" ] || printf 'step\t\tmake fmi: decimal commas\t%s\n' "they take Debian's locales" >>"$NOTRUN"
fi
tool() { # NAME VERSION ARGUMENTS
	local as=()
	[ "$2" = 3 ] || as=("${comma[@]}")
	"${as[@]}" "${under[@]}" "$dir/$1$2" "$so" "$dir/x/resources" "$token" "${@:3}"
}
for v in 2 3; do
	"${cc[@]}" -DFMI=$v -o "$dir/load$v" "$here/load.c" -ldl -lm
	"${cc[@]}" -DFMI=$v -o "$dir/exchange$v" "$here/exchange.c" -ldl -lm "${sundials[@]}"
done

# unit MODEL VERSION RUN [LIBRARIES]: makes x.fmu and unpacks it. To pack the library takes longer than all the rest: without LIBRARIES the unit gets
# it afterwards, by a link.
mkdir "$dir/small"
cp "$libraries/rung-fmu.so" "$dir/small/rung-fmu.so"
cp "$libraries/rung-fmu.so" "$dir/small/librung.so"
unit() {
	"$rung" export "$1" -o "$dir/x.fmu" --fmi "$2" --run "$3" --libraries "${4:-$dir/small}" >/dev/null
	rm -rf "$dir/x"
	"$python" -m zipfile -e "$dir/x.fmu" "$dir/x"
	[ -n "${4:-}" ] || ln -sf "$(realpath "$libraries/librung.so")" "$(echo "$dir"/x/binaries/*)/librung-1.so"
	xml=$dir/x/modelDescription.xml
	token=$(sed -n 's/.*\(guid\|instantiationToken\)="\([^"]*\)".*/\2/p' "$xml")
	states=$(grep -c 'reinit="true"' "$xml" || true)
	gaps=$(grep -c 'name="gap\[' "$xml" || true)
	so=$(echo "$dir"/x/binaries/*/rung.so)
}

# try NAME MODEL UNTIL EVERY STEPS KIND: see exchange.c for the last two. Co-simulation has 16 steps of fixed size from row to row, and EVERY is a
# power of 2: so steps and rows end at the same times to the bit, as they do in rung simulate. Without projection,
# as files have rows that are put on the joints further than states of a run.
try() {
	local name=$1 model=$2 until=$3 every=$4 steps=$5 kind=$6 step
	echo "== $name"
	step=$("$python" -c "print($every / 16)")
	columns=(--columns 'joint.*.q*')
	"$rung" simulate "$model" --until "$until" --every "$every" --integrator rk4 --step "$step" --stabilize none "${columns[@]}" -o "$dir/fixed.csv" >/dev/null 2>&1
	"$rung" simulate "$model" --until "$until" --every "$every" --tol 1e-12 "${columns[@]}" -o "$dir/want.csv" >/dev/null 2>&1
	printf '{"format": "rung-run/1", "integrator": "rk4", "step": %s, "stabilize": "none", "start": "close"}' "$step" >"$dir/fixed.json"
	printf '{"format": "rung-run/1", "tolerance": 1e-12, "start": "close"}' >"$dir/run.json"
	for v in 2 3; do
		unit "$model" $v "$dir/fixed.json"
		tool load $v "$dir/fixed.csv" bits
		unit "$model" $v "$dir/run.json"
		[ "$kind" = none ] || tool load $v "$dir/want.csv" close # contacts double errors
		tool exchange $v "$dir/want.csv" "$steps" "$kind" "$states" "$gaps"
	done
}

if [ -n "${VALGRIND:-}" ]; then
	try "four-bar under valgrind" "$root/docs/four-bar.model.json" 0.25 0.125 4 smooth
	exit
fi
for v in 2 3; do
	printf '{"format": "rung-run/1"}' >"$dir/run.json"
	packed=$([ $v = 2 ] || echo "$libraries")
	unit "$root/docs/four-bar.model.json" $v "$dir/run.json" "$packed"
	tool load $v none live
done
for family in chain:4 stewart:1 rover:1 jansen:1 trailers:1; do
	"$rung" generate "${family%:*}" "${family#*:}" -o "$dir/${family%:*}.json" 2>/dev/null
done
"$rung" generate valve-train 1 -o "$dir/cams.json" 2>/dev/null # of two continuous derivatives: accelerations have kinks, and no method its order
sed 's/, 0)^3/, 0)^6/' "$dir/cams.json" >"$dir/valves.json"
"$rung" import "$root/reference/import/four-bar.sdf" -o "$dir/imported.json" >/dev/null

try "chain" "$dir/chain.json" 0.5 0.0625 6 smooth
try "four-bar with redundant rows" "$root/docs/four-bar.model.json" 0.625 0.125 6 smooth
try "the same over its flat pose" "$root/docs/four-bar.model.json" 2 0.125 6 singular
try "Stewart platform" "$dir/stewart.json" 0.5 0.125 12 smooth
try "Andrews' mechanism" "$root/reference/standard/a03-andrews-ivp.model.json" 0.009765625 0.0009765625 30 smooth
try "rover, co-simulation alone" "$dir/rover.json" 0.125 0.015625 1 none
try "arm with stops" "$here/stops.model.json" 0.625 0.125 125 smooth
try "arm on springs that are wound over turns" "$here/wound.model.json" 1 0.125 50 smooth
try "arm with friction" "$here/friction.model.json" 1 0.125 25 kinks
try "four-bar from SDFormat, over its flat pose" "$dir/imported.json" 1 0.125 6 singular
try "Jansen's legs, which change coordinates" "$dir/jansen.json" 0.25 0.125 50 smooth
try "arm with a bushing, a cable, laws and a foot on terrain from a file" "$here/mounted.model.json" 0.25 0.0625 100 smooth
try "valve train, whose cams have five continuous derivatives" "$dir/valves.json" 0.03125 0.00390625 100 smooth
try "roller coaster on a curve from a file, co-simulation alone" "$root/docs/coaster.model.json" 0.25 0.0625 1 none
try "trailer on wheels that roll without slip, co-simulation alone" "$dir/trailers.json" 0.25 0.0625 1 none
