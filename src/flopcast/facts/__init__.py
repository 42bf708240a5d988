"""KNOWN: figures with a source and a date, and the names under which people look for them.

Belongs here: tables under `data/` (CSV, one fact a row, a source key and a date on each), their loaders, and
look-ups by name. Nothing is read before it is asked for, and then once.
Does not: reading what the user typed beyond a name (`ask`), formulas, defaults without a source, prices fetched live.
"""

from flopcast.facts.accelerators import accelerators
from flopcast.facts.energy import Figure, Grid, electricity_price, energy, grid_intensity, grids, power_fraction, pue
from flopcast.facts.names import find_accelerator, find_node
from flopcast.facts.networks import NetworkEntry, find_network, networks
from flopcast.facts.nodes import nodes
from flopcast.facts.prices import (
    Discount,
    PricePoint,
    as_of,
    discounts,
    find_offer,
    is_stale,
    offers,
    price_history,
    price_range,
)
from flopcast.facts.programmes import Programme, programmes
from flopcast.facts.risks import Failure, failure_rate_per_accelerator_h, failures, ownership
from flopcast.facts.runs import StepRun, WholeRun, step_runs, whole_runs
from flopcast.facts.sources import Source, cite, sources
from flopcast.facts.stores import (
    Dataset,
    StoragePrice,
    datasets,
    find_dataset,
    storage_price_range,
    storage_prices,
)
from flopcast.facts.tables import TABLES, Table, find_table, search, table

__all__ = [
    "TABLES",
    "Dataset",
    "Discount",
    "Failure",
    "Figure",
    "Grid",
    "NetworkEntry",
    "PricePoint",
    "Programme",
    "Source",
    "StepRun",
    "StoragePrice",
    "Table",
    "WholeRun",
    "accelerators",
    "as_of",
    "cite",
    "datasets",
    "discounts",
    "electricity_price",
    "energy",
    "failure_rate_per_accelerator_h",
    "failures",
    "find_accelerator",
    "find_dataset",
    "find_network",
    "find_node",
    "find_offer",
    "find_table",
    "grid_intensity",
    "grids",
    "is_stale",
    "networks",
    "nodes",
    "offers",
    "ownership",
    "power_fraction",
    "price_history",
    "price_range",
    "programmes",
    "pue",
    "search",
    "sources",
    "step_runs",
    "storage_price_range",
    "storage_prices",
    "table",
    "whole_runs",
]
