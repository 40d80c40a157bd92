#!/usr/bin/env bash
# An array job for Slurm: each task downloads, scans and deletes its share of the archives, one at a time;
# a last job resolves. On a login node:
#
#   export NIGHTLY=/opt/crawlprefs/examples/nightly/nightly.sh
#   bash slurm-array.sh OUT LIST...
#
# OUT and the lists are on a file system that all nodes share. Four tasks at once are as many as Common Crawl's
# server allows; with your own copy of the archives (NIGHTLY_BASE) you can start more. SBATCH_OPTIONS has more
# options for sbatch. To start some tasks again, say of how many shares they are:
#
#   NIGHTLY_SLICES=100 SBATCH_OPTIONS=--array=7,19 bash slurm-array.sh OUT LIST...
#
#SBATCH --job-name=crawlprefs-scan
#SBATCH --array=1-100%4
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --time=24:00:00
#SBATCH --requeue
#SBATCH --signal=B:TERM@120
#SBATCH --output=crawlprefs-%A_%a.log
set -euo pipefail

nightly=${NIGHTLY:?the path of nightly.sh}
# On a disk of the node: /tmp is memory on many. The node's shell expands it.
# shellcheck disable=SC2016
work='${TMPDIR:-/var/tmp}/crawlprefs'
if [[ -n ${SLURM_ARRAY_TASK_ID:-} ]]; then
  export NIGHTLY_WORK=${NIGHTLY_WORK:-${TMPDIR:-/var/tmp}/crawlprefs}
  slices=${NIGHTLY_SLICES:-$SLURM_ARRAY_TASK_COUNT}
  # shellcheck disable=SC2153 # Slurm sets all of them
  if [[ -z ${NIGHTLY_SLICES:-} && ( $SLURM_ARRAY_TASK_MIN != 1 || $SLURM_ARRAY_TASK_MAX != "$slices" ) ]]; then
    echo 'slurm-array.sh: the tasks are not 1 to N: set NIGHTLY_SLICES to the number of shares' >&2
    exit 2
  fi
  export NIGHTLY_SLICE=$SLURM_ARRAY_TASK_ID/$slices
  export NIGHTLY_PAUSE=${NIGHTLY_PAUSE:-2}
  exec "$nightly" scan "$@"
fi

# On the login node: submit the array, then the job that resolves, which also runs when some tasks failed.
[[ $# -ge 2 ]] || { echo 'usage: slurm-array.sh OUT LIST...' >&2; exit 2; }
read -ra options <<<"${SBATCH_OPTIONS:-}"
scan=$(sbatch --parsable ${options[@]+"${options[@]}"} "$0" "$@")
sbatch --parsable ${options[@]+"${options[@]}"} --dependency="afterany:${scan%%;*}" \
  --job-name=crawlprefs-resolve --cpus-per-task=8 --mem=16G --time=24:00:00 \
  --wrap "NIGHTLY_WORK=\${NIGHTLY_WORK:-$work} $(printf '%q ' "$nightly" resolve "$@")"
