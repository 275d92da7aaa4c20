#!/bin/sh
# Installs Argosy @VERSION@ for this user, or as root for everyone:
#
#   curl -fsSL @URL@/install.sh | sh
#   curl -fsSL @URL@/install.sh | sh -s -- --to ~/bin
#
# Downloads the archive of this system, compares its SHA-256 with the one below, and runs `argosy install` with the arguments.
set -eu

main() {
  version=@VERSION@
  url=${ARGOSY_RELEASE_URL:-@URL@}
  sums='@SUMS@'

  case "$(uname -s)" in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "there is no archive for $(uname -s); for Windows: winget install Argosy.Argosy" ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) system=$system-x64 ;;
    aarch64 | arm64) system=$system-arm64 ;;
    *) fail "there is no archive for $(uname -m)" ;;
  esac
  # Rosetta says that an Apple processor is one of Intel.
  if [ "$system" = darwin-x64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || echo 0)" = 1 ]; then
    system=darwin-arm64
  fi
  case "$system" in linux-*) if ls /lib/ld-musl-* >/dev/null 2>&1; then system=$system-musl; fi ;; esac

  archive=argosy-$version-$system.tar.gz
  expected=$(printf '%s\n' "$sums" | sed -n "s/^\([0-9a-f]*\)  $archive\$/\1/p")
  [ -n "$expected" ] || fail "this release has no archive for $system"

  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  trap 'exit 1' INT TERM HUP
  if command -v curl >/dev/null; then
    curl -fL --proto '=https,http' --retry 2 -o "$folder/$archive" "$url/$archive" || fail "$url/$archive could not be downloaded"
  elif command -v wget >/dev/null; then
    wget -q -O "$folder/$archive" "$url/$archive" || fail "$url/$archive could not be downloaded"
  else
    fail "neither curl nor wget is installed"
  fi
  if command -v sha256sum >/dev/null; then
    found=$(sha256sum <"$folder/$archive")
  elif command -v shasum >/dev/null; then
    found=$(shasum -a 256 <"$folder/$archive")
  else
    fail "neither sha256sum nor shasum is installed"
  fi
  [ "${found%% *}" = "$expected" ] || fail "$archive has the checksum ${found%% *} and should have $expected: nothing was installed"

  tar -xzf "$folder/$archive" -C "$folder"
  "$folder/argosy-$version-$system/argosy" install "$@"
}

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

# Called in the last line, so that a script that was cut off does nothing.
main "$@"
