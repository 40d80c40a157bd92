#!/usr/bin/env bash
# From the files of HPLT's pipeline to filtered ones: FOLDER has robotstxt.warc.gz, metadata.zst and, line by line beside it,
# text.zst. OUT gets the mask that stage 3 reads (allowed.zst), and both files without the documents that it drops.
#
#     examples/hplt.sh FOLDER OUT [POLICY]
#
# POLICY is robots, labels or strict, or a file (docs/filtering.md). Needs crawlprefs and zstd.
set -euo pipefail
in=${1:?folder with robotstxt.warc.gz, metadata.zst and text.zst} out=${2:?output folder} policy=${3:-robots}
crawlprefs=${CRAWLPREFS:-crawlprefs}

mkdir -p "$out"
"$crawlprefs" run "$in/robotstxt.warc.gz" --quiet -o "$out/tables"
"$crawlprefs" judge "$in/metadata.zst" --tables "$out/tables" --policy "$policy" --mask "$out/allowed.zst"

# A tab in a text is written as \t in JSON, so that lines can be joined by tabs.
for name in metadata text; do
  paste <(zstd -dcq "$out/allowed.zst") <(zstd -dcq "$in/$name.zst") |
    sed -n 's/^{"allowed": true}\t//p' | zstd -q -f -o "$out/$name.zst"
done
printf 'kept %s of %s documents\n' "$(zstd -dcq "$out/text.zst" | wc -l)" "$(zstd -dcq "$in/text.zst" | wc -l)"
