"""Draws the picture of chapter 7: `python docs/guide/pictures/draw_07.py`."""

from matplotlib.figure import Figure
from plots import SERIES, plain, save

from regard.training.schedules import inverse_sqrt_rate, linear_rate, paper_peak


def draw_training() -> None:
    """A smoothed label over ten tokens, and how the learning rate goes."""
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    labels, rates = figure.subplots(1, 2)
    tokens, share = 10, 0.1
    places = range(tokens)
    hard = [float(token == 3) for token in places]
    soft = [(1 - share) * y + share / tokens for y in hard]
    labels.bar([place - 0.2 for place in places], hard, width=0.4, color=SERIES[0], label="label")
    labels.bar([place + 0.2 for place in places], soft, width=0.4, color=SERIES[1], label="smoothed by 0.1")
    labels.legend(fontsize=8, frameon=False)
    plain(labels, "A label over ten tokens", "token", "probability")
    steps = range(1, 20_001, 50)
    peak = paper_peak(512, 4000)
    rates.plot(
        steps, [inverse_sqrt_rate(step, peak=peak, warmup_steps=4000) for step in steps],
        color=SERIES[0], label="the paper's: width 512, 4,000 steps of warm-up",
    )  # fmt: skip
    rates.plot(
        steps, [linear_rate(step, peak=peak, warmup_steps=4000, steps=20_000) for step in steps],
        color=SERIES[1], label="falling to 0 at step 20,000",
    )  # fmt: skip
    rates.legend(fontsize=8, frameon=False)
    plain(rates, "Learning rates", "step", "rate")
    save(figure, "07-training")


if __name__ == "__main__":
    draw_training()
