"""KNOWN: figures with a source and a date, and the names under which people look for them.

Belongs here: tables under `data/` (CSV, one fact a row, a source key and a date on each), their loaders, and
look-ups by name. Nothing is read before it is asked for, and then once.
Does not: reading what the user typed beyond a name (`ask`), formulas, defaults without a source, prices fetched live.
"""

from flopcast.facts.accelerators import accelerators
from flopcast.facts.names import find_accelerator, find_node
from flopcast.facts.nodes import nodes

__all__ = ["accelerators", "find_accelerator", "find_node", "nodes"]
