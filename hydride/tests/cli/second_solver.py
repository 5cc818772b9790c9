"""Asks Bitwuzla the questions of the files named on standard input, one verdict a line."""

import sys

sys.path.insert(0, sys.argv[1])
import bitwuzla

LIMIT_MS = int(sys.argv[2])

for path in sys.stdin.read().split("\n"):
    if not path:
        continue
    terms = bitwuzla.TermManager()
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, LIMIT_MS)
    parser = bitwuzla.Parser(terms, options)
    parser.parse(path, True)
    print(parser.bitwuzla().check_sat(), path, flush=True)
