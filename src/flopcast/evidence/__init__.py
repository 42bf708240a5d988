"""EVIDENCE."""
