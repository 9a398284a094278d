"""Found first on PYTHONPATH by every Python that `lanescope run` starts: hooks Triton, then runs the sitecustomize that
would have been found without us. Whatever goes wrong here, the user's program starts as it would have."""

import sys


def _hook_triton():
    if sys.version_info < (3, 8):  # older than any Triton with an AMD backend
        return
    import os

    sys.path.append(os.path.dirname(__file__))
    try:
        import lanescope_triton

        lanescope_triton.install()
    finally:
        sys.path.remove(os.path.dirname(__file__))


def _chain():
    """The next sitecustomize on the path takes this module's place, as if this folder were not there."""
    import importlib.machinery
    import importlib.util
    import os

    here = os.path.realpath(os.path.dirname(__file__))
    sys.path[:] = [p for p in sys.path if os.path.realpath(p or os.curdir) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


try:
    _hook_triton()
except Exception as e:  # noqa: BLE001 - never the user's problem
    sys.stderr.write("lanescope: Triton kernels stay unobserved: %s: %s\n" % (type(e).__name__, e))
_chain()
