"""WHICH."""
