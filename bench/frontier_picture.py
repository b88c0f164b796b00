#!/usr/bin/env python3
"""Draws the means of bench/results/frontier.md: test error against the share of features, as SVG.

Usage: bench/frontier_picture.py > docs/figures/frontier.svg"""

import math
import re
from pathlib import Path

SHOWN = {  # row of the table: its name in the picture, its colour
    "**budget**": ("thresh", "#c2410c"),
    "rivals": ("the best of five pipelines, for each data set and size", "#1d4ed8"),
    "l2+prune \\|w\\|rms+refit": ("l2, prune, refit (LIBLINEAR)", "#64748b"),
    "l1+refit": ("l1, refit (LIBLINEAR)", "#94a3b8"),
}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 330, 52, 12, 14, 46


def table(text):
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in text.splitlines() if line.startswith("|")]
    shares = [float(share.rstrip("%")) for share in rows[0][1:]]
    return shares, {row[0]: [float(cell) for cell in row[1:]] for row in rows[2:] if row[0] in SHOWN}


def main():
    shares, errors = table((Path(__file__).parent / "results" / "frontier.md").read_text().split("\nOf ")[0])
    low, high = (step(f(map(f, errors.values())) / 2) * 2 for step, f in ((math.floor, min), (math.ceil, max)))
    x = lambda share: LEFT + (WIDTH - LEFT - RIGHT) * math.log(share / shares[0]) / math.log(shares[-1] / shares[0])
    y = lambda error: TOP + (HEIGHT - TOP - BOTTOM) * (high - error) / (high - low)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
          'font-size="12" role="img" aria-label="Mean test error against the share of features">')
    print(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>')
    for error in range(low, high + 1, 2):
        print(f'<path d="M{LEFT} {y(error):.1f}H{WIDTH - RIGHT}" stroke="#e2e8f0"/>'
              f'<text x="{LEFT - 6}" y="{y(error) + 4:.1f}" text-anchor="end" fill="#334155">{error}%</text>')
    for share in shares:
        print(f'<text x="{x(share):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle" fill="#334155">{share:g}%</text>')
    print(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle" fill="#334155">'
          'features in the model</text>')
    for place, (row, (name, colour)) in enumerate(reversed(SHOWN.items())):
        points = " ".join(f"{x(share):.1f},{y(error):.1f}" for share, error in zip(shares, errors[row]))
        width = 3 if name == "thresh" else 1.6
        print(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>')
        line = TOP + 14 + 18 * (len(SHOWN) - 1 - place)
        print(f'<path d="M270 {line}h22" stroke="{colour}" stroke-width="{width}"/>'
              f'<text x="298" y="{line + 4}" fill="#0f172a">{name}</text>')
    print("</svg>")


main()
