from .compiler import compile  # noqa: F401
