"""HOW WE KNOW: four ways to the same figure side by side, why two estimates differ, and how sure we are.

Belongs here: rule, published runs, simulation, the asker's own measurement; reconcile; checks of the impossible.
Does not: reading of words (`ask`), the physics of a step (`step`), search (`decide`).
"""

from flopcast.evidence.estimate import Estimate, estimate
from flopcast.evidence.reconcile import Factor, Reconciliation, reconcile

__all__ = ["Estimate", "Factor", "Reconciliation", "estimate", "reconcile"]
