"""CHARTS."""
