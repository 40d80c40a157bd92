#!/usr/bin/env bash
# Downloads archives one at a time, scans each one, deletes it, and resolves all evidence at the end.
#
#   nightly.sh STEP OUT [LIST...]
#
# STEP   scan: download, scan and delete; resolve: make the tables; all: both
# OUT    folder for evidence and tables, which may be shared by many machines
# LIST   lists of archives, plain or gzipped, one path a line, such as warc.paths.gz
#
# Settings are environment variables:
#   CRAWLPREFS               the program [crawlprefs]
#   NIGHTLY_BASE             URL below which the paths of lists are [https://data.commoncrawl.org]
#   NIGHTLY_WORK             folder on a local disk for one download at a time [OUT.work]
#   NIGHTLY_SLICE            I/N: the I-th of N shares, such as 3/10, of archives or of segments [all]
#   NIGHTLY_PAUSE            seconds between two downloads [1]
#   NIGHTLY_SCAN_OPTIONS     more options for crawlprefs scan, such as "--log-format json"
#   NIGHTLY_RESOLVE_OPTIONS  more options for crawlprefs resolve, such as "--agent GPTBot"
#
# It can be killed and started again at any time. It writes nothing when all is well. Exit status: that of
# crawlprefs (0; 1 could not run; 2 usage; 3 some inputs failed or were cut; 130, 143 stopped by a signal),
# or 75 where an earlier call still works on the same share.
set -uo pipefail

fail() { printf 'nightly.sh: %s\n' "$2" >&2; exit "$1"; }

[[ $# -ge 2 && $1 =~ ^(scan|resolve|all)$ ]] || fail 2 'usage: nightly.sh scan|resolve|all OUT [LIST...]'
step=$1 out=${2%/}
shift 2
[[ $step == resolve || $# -gt 0 ]] || fail 2 "$step needs a list of archives"

program=${CRAWLPREFS:-crawlprefs}
base=${NIGHTLY_BASE:-https://data.commoncrawl.org}
slice=${NIGHTLY_SLICE:-}
work=${NIGHTLY_WORK:-$out.work}/$step${slice:+-${slice/\//-of-}}
read -ra scan_options <<<"${NIGHTLY_SCAN_OPTIONS:-}"
read -ra resolve_options <<<"${NIGHTLY_RESOLVE_OPTIONS:-}"
[[ -z $slice ]] || resolve_options+=(--slice "$slice")

# One call per share. Downloads and scans inherit the lock, so that it is held until the last of them ends.
mkdir -p "$work" || fail 1 "$work: cannot be made"
exec 9>"$work/lock" || fail 1 "$work/lock: cannot be written"
flock -n 9 || fail 75 "an earlier call still works in $work"
downloads=$work/downloads
rm -rf "$downloads"
trap 'rm -rf "$downloads"' EXIT

# Runs a command so that a signal reaches it; returns its status, or ends where a signal came.
signal=0 child=
# shellcheck disable=SC2317,SC2329 # traps call it
stop() { signal=$1; [[ -z $child ]] || kill -TERM "$child" 2>/dev/null; }
trap 'stop 130' INT
trap 'stop 143' TERM
run() {
  "$@" <&0 &
  child=$!
  local status
  [[ $signal == 0 ]] || kill -TERM "$child" 2>/dev/null
  wait "$child"; status=$?
  while kill -0 "$child" 2>/dev/null; do wait "$child"; status=$?; done
  child=
  [[ $signal == 0 ]] || exit "$signal"
  return "$status"
}

# Prints the archives of the share that are not read to their end, a line each.
archives_ahead() {
  local list lists=() status
  for list in "$@"; do lists+=(--paths-from "$list"); done
  "$program" status "$out" "${lists[@]}" --base "$downloads" ${slice:+--slice "$slice"} --unread
  status=$?
  # 3: some are left, or tables are.
  [[ $status == 3 ]] || return "$status"
}

# Downloads an archive. Returns 0, or 4 where there is none; ends the job where going on makes no sense.
download() {
  local name=$1 status
  mkdir -p "$downloads/${name%/*}" || fail 1 "$downloads: cannot be written"
  # curl waits as long as Retry-After says. A download that was cut has a status of its own, 18.
  run curl --fail --silent --show-error --location --retry 6 --connect-timeout 30 --speed-limit 1000 \
    --speed-time 60 --output "$downloads/$name" --write-out '%{http_code}' "$base/$name" >"$work/http"
  status=$?
  [[ $status == 0 ]] || rm -f "$downloads/$name"
  case $status:$(cat "$work/http") in
    0:*) return 0 ;;
    22:404 | 22:410 | 37:*) return 4 ;;
    22:403) fail 1 "$base refuses more downloads; wait an hour, then use fewer slices or a longer pause" ;;
    23:*) fail 1 "$work: the download cannot be written" ;;
    *) return 1 ;;
  esac
}

# Scans archive by archive.
scan_all() {
  local name names status worst=0 in_a_row=0
  names=$(archives_ahead "$@") || exit $?
  while IFS= read -r name; do
    [[ -n $name ]] || continue
    download "$name"; status=$?
    if [[ $status == 1 ]]; then
      worst=3 in_a_row=$((in_a_row + 1))
      printf 'nightly.sh: %s: not downloaded, the next call tries again\n' "$name" >&2
      [[ $in_a_row -lt 5 ]] || fail 1 "five downloads failed one after the other"
      continue
    fi
    in_a_row=0
    # A file that the server does not have is scanned, too: the table archives says that it is missing.
    run "$program" scan --paths-from - --base "$downloads" -o "$out" -j 1 -q \
      ${scan_options[@]+"${scan_options[@]}"} <<<"$name"
    status=$?
    rm -f "$downloads/$name"
    case $status in
      0) ;;
      3) worst=3 ;;
      *) exit "$status" ;;
    esac
    run sleep "${NIGHTLY_PAUSE:-1}"
  done <<<"$names"
  return "$worst"
}

status=0
if [[ $step != resolve ]]; then
  scan_all "$@" || status=$?
fi
if [[ $step != scan ]]; then
  run "$program" resolve "$out" -q ${resolve_options[@]+"${resolve_options[@]}"} || status=$?
fi
exit "$status"
