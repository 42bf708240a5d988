"""KNOWN."""
