"""Charts as Vega-Lite specifications (plain dicts), the same for page and paper.

Belongs here: functions from figures to a specification, readable in greyscale.
Does not: rendering, which the papers and pages do.
"""

from flopcast.charts.accuracy import measured_against_predicted
from flopcast.charts.estimates import estimates_side_by_side
from flopcast.charts.timeline import update_timeline

__all__ = ["estimates_side_by_side", "measured_against_predicted", "update_timeline"]
