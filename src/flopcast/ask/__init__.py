"""ASKED."""
