"""MONEY."""
