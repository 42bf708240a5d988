"""Forecasts what it takes to train a model.

Rooms, in the order of imports (each may use only those before it): errors, units, describe, facts, ask, count, step,
run, money, evidence, decide, charts, writeup, cli.
"""

__version__ = "0.1.0"
