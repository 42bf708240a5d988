"""Screens: one answer on one terminal page of 80 columns, the first two lines saying what the asker must know."""
