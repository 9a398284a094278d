"""Lanescope's recordings and models in Python.

    import lanescope

    db = lanescope.Database("node1/1234_srclines.db")       # see lanescope_reader
    lanescope.to_parquet(["a.db", "b.db"], "recordings")    # needs pyarrow
    lanescope.models.lds_cost("gfx942", [lane * 128 for lane in range(64)], 4)
"""
from lanescope_reader import Access, Database, Error, read_address_log  # noqa: F401

from . import models  # noqa: F401
from .parquet import to_parquet  # noqa: F401
