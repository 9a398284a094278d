"""A package of Triton's shape for tests: stages of text, a cache by key, no GPU."""

__version__ = "3.9.0"
