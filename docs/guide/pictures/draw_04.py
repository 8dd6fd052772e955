"""Draws the picture of chapter 4: `python docs/guide/pictures/draw_04.py`."""

import torch
from matplotlib.figure import Figure
from plots import SERIES, plain, save

import regard.nn as rn

WIDTH, LENGTH = 64, 512
SHOWN = (0, 8, 16, 24, 32)


def draw_sinusoids() -> None:
    """Some dimensions over the first positions, and the spectrum of each over all."""
    table = rn.sinusoidal_positions(LENGTH, WIDTH)
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    waves, spectra = figure.subplots(1, 2)
    for row, (dimension, colour) in enumerate(zip(SHOWN, SERIES, strict=False)):
        waves.plot(range(65), table[:65, dimension] - 2.5 * row, color=colour)
        waves.text(66, -2.5 * row, f"dimension {dimension}", fontsize=8, color=colour, va="center")
        spectrum = torch.fft.rfft(table[:, dimension] - table[:, dimension].mean()).abs()
        spectra.semilogx(range(1, len(spectrum)), spectrum[1:] / spectrum.max(), color=colour)
        strongest = int(spectrum.argmax())
        spectra.text(strongest, 1.03, str(dimension), fontsize=8, color=colour, ha="center")
    waves.set_yticks([])
    waves.set_xlim(0, 84)
    waves.set_xticks(range(0, 65, 16))
    plain(waves, "Low dimensions are fast, high ones slow", "position", "")
    waves.spines["left"].set_visible(False)
    plain(spectra, "Spectrum of these dimensions", "turns in 512 positions", "share of the strongest")
    save(figure, "04-sinusoids")


if __name__ == "__main__":
    draw_sinusoids()
