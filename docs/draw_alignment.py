"""Draws the README's picture: `python docs/draw_alignment.py demo-model`, after `make demo`."""

import sys
from pathlib import Path

import regard

translator = regard.load(sys.argv[1])
alignment = translator.align("mercredi 4 mai 2016")
Path(__file__).with_name("alignment.svg").write_text(alignment.svg(standalone=True) + "\n", encoding="utf-8")
