"""STEP."""
