#!/usr/bin/env bash
# Downloads archives one at a time, scans each one, deletes it, resolves all evidence, and says whether all is there.
#
#   nightly.sh STEP OUT [LIST...]
#
# STEP   scan: download, scan and delete; resolve: make the tables, and the index; all: both
# OUT    folder for evidence and tables of one crawl, which may be shared by many machines
# LIST   lists of archives, plain or gzipped, one path a line, such as warc.paths.gz
#
# Settings are environment variables:
#   CRAWLPREFS               the program [crawlprefs]
#   NIGHTLY_BASE             URL below which the paths of lists are [https://data.commoncrawl.org]
#   NIGHTLY_WORK             folder on a local disk for one download at a time, and for temporary files [OUT.work]
#   NIGHTLY_SLICE            I/N: the I-th of N shares, such as 3/10, of archives or of segments [all]
#   NIGHTLY_PAUSE            seconds between two downloads [1]
#   NIGHTLY_METRICS          file for the metrics of `crawlprefs status`, such as /var/lib/crawlprefs/status.prom [none]
#   NIGHTLY_INDEX            folder or s3:// URL for the site index, which is made of a complete OUT [none]
#   NIGHTLY_INDEX_OPTIONS    more options for crawlprefs index, such as "--allow-incomplete"
#   NIGHTLY_SCAN_OPTIONS     more options for crawlprefs scan, such as "--log-format json"
#   NIGHTLY_RESOLVE_OPTIONS  more options for crawlprefs resolve, such as "--agent GPTBot"
#
# It can be killed and started again at any time. It writes nothing when all is well. Without NIGHTLY_SLICE it ends with
# `crawlprefs status`, whatever happened before: OUT that is not complete is status 3. Exit status: that of crawlprefs (0; 1
# could not run; 2 usage; 3 something is missing, failed or was cut; 130, 143 stopped by a signal), or 75 where an earlier call
# still works on the same share.
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
read -ra index_options <<<"${NIGHTLY_INDEX_OPTIONS:-}"
[[ -z $slice ]] || resolve_options+=(--slice "$slice")
lists=()
for list in "$@"; do lists+=(--paths-from "$list"); done

# One call per share. Downloads and scans inherit the lock, so that it is held until the last of them ends.
mkdir -p "$work" || fail 1 "$work: cannot be made"
exec 9>"$work/lock" || fail 1 "$work/lock: cannot be written"
flock -n 9 || fail 75 "an earlier call still works in $work"
downloads=$work/downloads
rm -rf "$downloads"
# Bodies of site files may not fit where the system has its temporary files, which is memory on many machines.
export TMPDIR=$work

# Says whether OUT, or an index, has all archives of the lists.
look() {
  "$program" status "$@" ${lists[@]+"${lists[@]}" --base "$downloads"}
}

# At every end: metrics of what there is now, and the exit status that goes with them.
# shellcheck disable=SC2317,SC2329 # a trap calls it
end() {
  local status=$? looked
  rm -rf "$downloads"
  if [[ -z $slice && $step != scan && $status != 130 && $status != 143 ]]; then
    look "$out" ${NIGHTLY_METRICS:+--metrics "$NIGHTLY_METRICS"} >"$work/status"
    looked=$?
    [[ $looked == 0 ]] || cat "$work/status" >&2
    [[ $status != 0 ]] || status=$looked
  fi
  exit "$status"
}
trap end EXIT

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
  local status
  look "$out" ${slice:+--slice "$slice"} --unread
  status=$?
  # 3: some are left, or tables are.
  [[ $status == 3 ]] || return "$status"
}

# Downloads an archive. Returns 0, or 4 where there is none; ends the job where going on makes no sense.
download() {
  local name=$1 status
  mkdir -p "$downloads/${name%/*}" || fail 1 "$downloads: cannot be written"
  # curl waits as long as Retry-After says. A download that was cut has a status of its own, 18.
  # Names are names: without --globoff, a[1-3] would be three.
  run curl --globoff --fail --silent --show-error --location --retry 6 --connect-timeout 30 --speed-limit 1000 \
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
scanned=0
scan_all() {
  local name names status worst=0 in_a_row=0
  names=$(archives_ahead) || exit $?
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
      0) scanned=1 ;;
      3) scanned=1 worst=3 ;;
      *) exit "$status" ;;
    esac
    run sleep "${NIGHTLY_PAUSE:-1}"
  done <<<"$names"
  return "$worst"
}

# Makes the index of a complete OUT, if it lacks an archive or something new was scanned; others may read it meanwhile.
make_index() {
  look "$out" >/dev/null || return 0
  if [[ $scanned == 0 && ${#lists[@]} -gt 0 ]] && look "$NIGHTLY_INDEX" >/dev/null 2>&1; then
    return 0
  fi
  run "$program" index "$out" -o "$NIGHTLY_INDEX" --overwrite -q ${index_options[@]+"${index_options[@]}"}
}

status=0
if [[ $step != resolve ]]; then
  scan_all || status=$?
fi
if [[ $step != scan ]]; then
  run "$program" resolve "$out" -q ${resolve_options[@]+"${resolve_options[@]}"} || status=$?
  [[ -z ${NIGHTLY_INDEX:-} || -n $slice || $status == 1 || $status == 2 ]] || make_index || status=$?
fi
exit "$status"
