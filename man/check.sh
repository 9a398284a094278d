#!/bin/sh
# check.sh PAGE LANESCOPE - the page renders without warnings, and names the version, every option and every verb of
# the command.
set -eu
command -v man >/dev/null || exit 77
warnings=$(man --warnings -E UTF-8 -l -Tutf8 "$1" 2>&1 >/dev/null)
[ -z "$warnings" ] || { echo "$warnings"; exit 1; }
text=$(man --nh --nj -E UTF-8 -l -Tutf8 "$1" | col -b)
status=0
version=$("$2" --version | awk 'NR == 1 { print $2 }')
grep -q "^\.TH LANESCOPE 1 .*\"Lanescope $version\"" "$1" || { echo "the page is not of version $version"; status=1; }
for option in $("$2" run --help | grep -o -e '--[a-z-]*' | sort -u) $("$2" report --help | grep -o -e '--[a-z-]*' | sort -u) \
    $("$2" annotate --help | grep -o -e '--[a-z-]*' | sort -u) $("$2" diff --help | grep -o -e '--[a-z-]*' | sort -u); do
    case $option in --|--help|--usage|--version) continue ;; esac
    printf '%s' "$text" | grep -q -e "$option" || { echo "the page lacks $option"; status=1; }
done
for word in $("$2" config | awk 'NR > 3 { print $1, $NF }'); do
    printf '%s' "$text" | grep -q -w -e "$word" || { echo "the page lacks $word"; status=1; }
done
for verb in $("$2" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    printf '%s' "$text" | grep -q -w -e "$verb" || { echo "the page lacks the verb $verb"; status=1; }
done
exit $status
