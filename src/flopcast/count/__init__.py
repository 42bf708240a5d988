"""COUNT."""
