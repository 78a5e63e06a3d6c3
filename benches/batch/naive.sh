#!/usr/bin/env bash
# A simple script, to compare Recto with: it processes one document at a time with curl, and requests the result once a
# second until the operation is finished.
# Usage: naive.sh SOURCE TARGET COUNT
set -euo pipefail
mkdir "$2"
ask() { curl --silent --show-error --fail --header "X-Api-Key: $RECTO_API_KEY" --header 'Content-Type: application/json' "$@"; }
find "$1" -name '*.pdf' | sort | sed -n "1,$3p" | while read -r path; do
    name=$(basename "$path")
    ticket=$(ask --data "{\"fileName\": \"$name\"}" "$RECTO_BASE_URL/v1/files/upload/fromLocal")
    curl --silent --show-error --fail --header 'Content-Type: application/octet-stream' --upload-file "$path" \
        "$(jq --raw-output .uploadUrl <<< "$ticket")"
    operation=$(ask --data "{\"input\": {\"fileId\": $(jq .fileId <<< "$ticket")}}" \
        "$RECTO_BASE_URL/v1/operations/optimize" | jq --raw-output .operationId)
    while :; do
        url=$(ask "$RECTO_BASE_URL/v1/operations/$operation/result" | jq --raw-output '.outputFile.url // empty')
        [ -z "$url" ] || break
        sleep 1
    done
    curl --silent --show-error --fail --output "$2/$name" "$url"
done
