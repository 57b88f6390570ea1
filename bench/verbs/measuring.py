"""``measure``: ours and its peers, side by side."""

import argparse


def do_measure(given: argparse.Namespace) -> int:
    from bench.measure import measurements

    return measurements.main(given.parts, given.json)
