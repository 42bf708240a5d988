"""WRITEUP."""
