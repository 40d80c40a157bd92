#!/bin/sh
# Installs the command crawlprefs from a release, after comparing its checksum.
#
#   curl --proto '=https' --tlsv1.2 -fsSL RELEASE/install.sh | sh
#
# Settings are environment variables:
#   CRAWLPREFS_RELEASE   URL of the release [the one that this script is from]
#   CRAWLPREFS_HOME      folder for bin/ and share/ [~/.local]
#   CRAWLPREFS_TARGET    target instead of this machine's, such as x86_64-unknown-linux-musl
set -eu
base=${CRAWLPREFS_RELEASE:-}
home=${CRAWLPREFS_HOME:-$HOME/.local}

fail() { printf 'install.sh: %s\n' "$1" >&2; exit 1; }

target_of_machine() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64 | Linux-amd64) echo x86_64-unknown-linux-gnu ;;
    Linux-aarch64 | Linux-arm64) echo aarch64-unknown-linux-musl ;;
    Darwin-x86_64) echo x86_64-apple-darwin ;;
    Darwin-arm64) echo aarch64-apple-darwin ;;
    *) fail "no binary for $(uname -s) on $(uname -m); see README.md for a build from source" ;;
  esac
}

checksum() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

# All of it is read before anything is done, also where it comes through a pipe.
main() {
  [ -n "$base" ] || fail 'CRAWLPREFS_RELEASE is not set; it is the URL of a release'
  command -v curl >/dev/null || fail 'curl is missing'
  target=${CRAWLPREFS_TARGET:-$(target_of_machine)}
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  curl -fsSL -o "$work/SHA256SUMS" "$base/SHA256SUMS" || fail "$base/SHA256SUMS cannot be read"
  line=$(grep -E "^[0-9a-f]{64} [ *]crawlprefs-[^ ]*-$target\.tar\.gz\$" "$work/SHA256SUMS") || fail "the release has no binary for $target"
  wanted=${line%% *}
  name=${line##*[ *]}
  curl -fsSL -o "$work/$name" "$base/$name" || fail "$base/$name cannot be read"
  found=$(checksum "$work/$name")
  [ "$found" = "$wanted" ] || fail "$name: found the checksum $found, expected $wanted"
  tar -xzf "$work/$name" -C "$work"
  mkdir -p "$home/bin" "$home/share"
  cp -R "$work/${name%.tar.gz}/share/." "$home/share/"
  # A running crawlprefs keeps its file: the new one replaces the name.
  cp "$work/${name%.tar.gz}/crawlprefs" "$home/bin/.crawlprefs.new"
  mv -f "$home/bin/.crawlprefs.new" "$home/bin/crawlprefs"
  "$home/bin/crawlprefs" --version
  printf 'installed as %s\n' "$home/bin/crawlprefs"
  case :$PATH: in
    *":$home/bin:"*) ;;
    *) printf 'add it to the search path: export PATH="%s/bin:%sPATH"\n' "$home" '$' ;;
  esac
  printf 'try it: crawlprefs demo\n'
}

main
