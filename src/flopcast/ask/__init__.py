"""ASKED: from words, scenario files and config.json to a `Job` in which every word has been understood.

Belongs here: reading of untrusted text and files, with all mistakes reported at once and every default taken listed.
Does not: estimates; counting (`count`); what things are called (`facts`).
"""

from flopcast.ask.cluster import read_cluster
from flopcast.ask.network import padded_vocab, read_network
from flopcast.ask.resolve import resolve
from flopcast.ask.scenario import Scenario, load_scenario

__all__ = ["Scenario", "load_scenario", "padded_vocab", "read_cluster", "read_network", "resolve"]
