#!/usr/bin/env bash
# Imports a folder of files exported from GPTBots: bash import.sh FOLDER. Each file becomes a document.
# Nothing is imported before every file was read, unless --yes follows the folder.
set -euo pipefail
folder=${1:?say which folder holds the exported files}
files=()
while IFS= read -r -d '' file; do files+=("$file"); done < <(
  find "$folder" -type f \( -iname '*.csv' -o -iname '*.xlsx' -o -iname '*.pdf' -o -iname '*.docx' -o -iname '*.html' \
    -o -iname '*.htm' -o -iname '*.md' -o -iname '*.txt' \) -print0 | sort -z
)
[ "${#files[@]}" -gt 0 ] || { echo "$folder has no CSV, XLSX, PDF, DOCX, HTML, Markdown or text file" >&2; exit 1; }

if [ "${2:-}" != --yes ]; then
  for file in "${files[@]}"; do
    echo "== $file"
    signalbox documents import "$file" --dry-run || true
  done
  echo "Nothing is imported yet. If the previews are right, run: bash $0 $folder --yes"
  exit 0
fi

failed=()
for file in "${files[@]}"; do
  echo "== $file"
  signalbox documents import "$file" --update --name "${file#"$folder"/}" || failed+=("$file")
done
echo "${#files[@]} files, $((${#files[@]} - ${#failed[@]})) without a complaint"
[ "${#failed[@]}" = 0 ] || { printf 'look at: %s\n' "${failed[@]}" >&2; exit 1; }
