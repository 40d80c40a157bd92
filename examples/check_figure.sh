#!/usr/bin/env bash
# Counts a figure again from nothing but the records behind it, as a reviewer does.
#
#   check_figure.sh RUN BASE CONDITION QUERY OUT
#
# RUN is the folder of a run, BASE where its archives are. CONDITION says, in SQL over the view pages, which pages the figure
# rests on. QUERY is a file of queries/. OUT, which must not exist, gets the records (records/, in files of the names of their
# archives, which is what you publish) and their own run. The answer of QUERY over RUN is printed first, then the one over the records
# alone. Needs crawlprefs and duckdb (1.5 or newer) in PATH.
set -euo pipefail
queries=$(cd "$(dirname "$0")/../queries" && pwd)
run=$1 base=$2 condition=$3 query=$(realpath "$4") out=$5
mkdir "$out"
out=$(cd "$out" && pwd)

ask() { (cd "$1" && cat "$queries/duckdb.sql" "$queries/views.sql" "$2" | duckdb); }

cat > "$out/rows.sql" <<END
COPY (
    SELECT warc_filename, warc_record_offset, warc_record_length FROM pages WHERE $condition
) TO '$out/rows.csv' (HEADER);
END
ask "$run" "$out/rows.sql"
crawlprefs extract --tables "$run" --from "$out/rows.csv" --base "$base" -o "$out/records/"
crawlprefs run -q "$out/records" -o "$out/run"
ask "$run" "$query"
ask "$out/run" "$query"
