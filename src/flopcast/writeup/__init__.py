"""The brief that goes to a partner: one context, several papers.

Belongs here: gathering estimates into tables and sentences, and one writer for each format.
Does not: any figure of its own; a number in a paper is a number of an estimate.
"""

from flopcast.writeup.context import Brief, gather
from flopcast.writeup.write import FORMATS, write

__all__ = ["FORMATS", "Brief", "gather", "write"]
