"""Fixtures of the end-to-end tests."""

import pytest

import profiling


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """Compiles a test program once per set of flags: programs("x.hip", "-O3")."""
    directory, known = tmp_path_factory.mktemp("programs"), {}

    def get(*arguments, **kwargs):
        key = (arguments, tuple(sorted(kwargs.items())))
        if key not in known:
            out = directory / f"program{len(known)}"
            known[key] = profiling.compile_hip(out, "--offload-arch=gfx90a", "-std=c++17", *arguments, **kwargs)
        return known[key]

    return get
