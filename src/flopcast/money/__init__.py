"""MONEY: what the hours, the storage and the work around the main run cost.

Belongs here: the lines of a bill, each with its source and date, that sum to the total.
Does not: the price table (`facts`), the hours (`evidence`), the calendar (`run`).
"""

from flopcast.money.budget import Budget, BudgetLine, budget

__all__ = ["Budget", "BudgetLine", "budget"]
