"""Losses: one family with two numbers, a file for each member."""
