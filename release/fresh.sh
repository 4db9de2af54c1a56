#!/usr/bin/env bash
# The files of a release as somebody has them who has nothing else: the archive in an empty folder, the package for Debian in a root with nothing but it,
# and a clone with Go alone. In each, README.md's command lines run as they stand there, but for those that wait for a browser.
#
#   release/fresh.sh FOLDER    # of make release; the package takes root, for dpkg and chroot
#
# An environment is empty but for HOME and a PATH with the one program, and for Go with its caches, which are empty, too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT # modules in GOPATH are read-only
say() { printf '== after %d s: %s\n' "$SECONDS" "$*"; }
fail() {
	echo "FAIL $*" >&2
	exit 1
}

# block SECTION: the lines of code of a section of README.md.
block() { awk -v s="## $1" '$0 == s {on = 1; next} /^## / {on = 0} on && (/^    / || code && !/^```/) {sub(/^    /, ""); print} /^```/ {code = !code}' README.md; }
# models FOLDER: what these lines read of the repository.
models() { git archive HEAD docs reference examples | tar -x -C "$1"; }
mapfile -t lines < <(block "On the command line" | grep '^rung ' | grep -vE '^rung (play|view) ')
((${#lines[@]} >= 20)) || fail "README.md has ${#lines[@]} command lines, fewer than it had"

# all COMMAND...: each line by a command that runs a program where nothing else is. What is said of one that fails is shown.
all() {
	local line words
	for line in "${lines[@]}"; do
		eval "words=($line)"
		"$@" "${words[@]}" </dev/null >"$work/said" 2>&1 || { tail -n 5 "$work/said"; fail "$line"; }
	done
	say "${#lines[@]} lines of README.md"
}

# rest ROOT PROGRAM...: manual pages and completions below ROOT/share.
rest() {
	local share=$1 said
	shift
	if command -v man >/dev/null; then
		said=$(MANPATH=$share/man MANWIDTH=100 man --warnings rung-accel 2>"$work/warned" | cat)
		[[ $said == *"rung accel"* && ! -s $work/warned ]] || fail "man rung-accel: $(head -n 3 "$work/warned") $said"
		say "man rung-accel"
	else
		say "NOT RUN: man is not here"
	fi
	# shellcheck disable=SC2016
	said=$("$@" "$BASH" --norc --noprofile -c '
		_get_comp_words_by_ref() { cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD; } # of bash-completion
		compopt() { :; } # which works within a completion alone
		source "$1"
		COMP_WORDS=(rung gener) COMP_CWORD=1 COMP_LINE="rung gener" COMP_POINT=10 COMP_TYPE=9
		"$(complete -p rung | sed -n "s/.*-F \([^ ]*\).*/\1/p")"
		printf "%s\n" "${COMPREPLY[@]}"' bash "$share/bash-completion/completions/rung" 2>&1) || true
	[[ $said == generate* ]] || fail "completion of rung gener in bash: $said"
	say "completion in bash"
}

shopt -s nullglob
arch=$(uname -m)
case $arch in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; esac

archive=("$folder"/rung_*_linux_"$arch".tar.gz)
((${#archive[@]} == 1)) || fail "no archive for linux_$arch in $folder"
say "$(basename "${archive[0]}"), in an empty folder"
mkdir -p "$work/archive" "$work/home" "$work/here"
tar -xzf "${archive[0]}" -C "$work/archive" --strip-components 1
models "$work/here"
(cd "$work/here" && all env -i HOME="$work/home" PATH="$work/archive")
rest "$work/archive/share" env -i HOME="$work/home" PATH="$work/archive:/usr/bin:/bin"

package=("$folder"/rung_*_"$arch".deb)
if ! command -v dpkg >/dev/null || [ "$(id -u)" -ne 0 ]; then
	say "NOT RUN: the package takes dpkg, and root"
else
	((${#package[@]} == 1)) || fail "no package for $arch in $folder"
	say "$(basename "${package[0]}"), in a root of its own"
	root=$work/root
	mkdir -p "$root"/{tmp,var/lib/dpkg/{info,updates,triggers}}
	touch "$root/var/lib/dpkg/"{status,available}
	dpkg --root="$root" --log=/dev/null -i "${package[0]}" >"$work/said" 2>&1 || { cat "$work/said"; fail "dpkg -i"; }
	dpkg --root="$root" --verify rung || fail "dpkg --verify"
	models "$root"
	all chroot "$root"
	rest "$root/usr/share" env -i PATH="$root/usr/bin:/usr/bin:/bin"
	dpkg --root="$root" --log=/dev/null --purge rung >/dev/null || fail "dpkg --purge"
	left=$(find "$root/usr" ! -type d 2>/dev/null || true)
	[ -z "$left" ] || fail "purged, and left: $left"
fi

say "a clone, with Go alone"
git clone -q "file://$PWD" "$work/clone"
mkdir "$work/gohome"
settings=(HOME="$work/gohome" PATH="$(go env GOROOT)/bin" GOTOOLCHAIN=local GOPROXY="$(go env GOPROXY)" GOSUMDB="$(go env GOSUMDB)")
mapfile -t lines < <({ block "First commands"; block "Install"; } | sed 's/ *#.*//' | grep -E '^go (run|install) \./cmd/rung')
((${#lines[@]} == 2)) || fail "README.md has ${#lines[@]} lines that run and install the command"
(cd "$work/clone" && all env -i "${settings[@]}" && [ -s ladder.svg ] && "$work/gohome/go/bin/rung" version)
say "passed"
