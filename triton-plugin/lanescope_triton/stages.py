"""Between Triton's stages `llir` and `amdgcn` the module gets its clone; the cache keys say so."""

import contextlib
import re
import threading

from . import llvm, messages, original, pieces, text

# Tritons whose code generator cannot read LLVM 22's text: LLVM 22 generates original and clone.
_FOREIGN_CODE = (3, 3)
_MARK = "\t.section\t.lanescope.compiler"
_state = threading.local()


def _version():
    import triton

    return tuple(int(n) for n in re.findall(r"\d+", triton.__version__)[:2])


def _active():
    return not getattr(_state, "off", False)


@contextlib.contextmanager
def stock():
    """Inside, Triton compiles and caches as if we were not there (in this thread)."""
    before, _state.off = getattr(_state, "off", False), True
    try:
        yield
    finally:
        _state.off = before


class _Uninstrumented(Exception):
    """This kernel is to be compiled again without us."""


def _note(words):
    """Survives assembler and linker: a section that is not loaded, read by the tool library."""
    return f'{_MARK},"",@progbits\n\t.asciz\t"{words}"\n'


def _kernel(assembly):
    names = re.findall(r"^\s*\.amdhsa_kernel (?!__ls_)(\S+)$", assembly, re.M)
    if len(names) != 1:
        raise llvm.Failed(f"{len(names)} kernels where one is expected")
    return names[0]


def _foreign(source, metadata, options, _):
    """Original and clone by our LLVM."""
    made = llvm.instrument(text.for_plugin(source, _version()), options.arch)
    assembly = llvm.assembly(made, options.arch, fusion=options.enable_fp_fusion)
    metadata["name"] = _kernel(assembly)
    return assembly + _note(f"code=llvm-{pieces.LLVM}")


def _own(source, metadata, options, stock_amdgcn):
    """Original and clone by Triton's own code generator, as far as it gives the stock original."""
    plain = stock_amdgcn(source, metadata, options)
    made = llvm.instrument(text.for_plugin(source, _version()), options.arch)
    assembly = stock_amdgcn(text.for_triton(made, _version(), source), metadata, options)
    kernel = _kernel(assembly)
    differs = original.difference(plain, assembly, kernel)
    if differs:
        messages.say(f"Triton: {kernel}: the original beside the clone is not the stock kernel ({differs})")
    return assembly + _note("code=stock original=" + ("changed" if differs else "identical"))


def _make_amdgcn(stock_amdgcn):
    def make_amdgcn(source, metadata, options):
        if not _active():
            return stock_amdgcn(source, metadata, options)
        make = _foreign if _version() < _FOREIGN_CODE else _own
        before = dict(metadata)
        try:
            return make(source, metadata, options, stock_amdgcn)
        except Exception as e:  # whatever it was, the kernel can run without us
            metadata.clear()
            metadata.update(before)
            raise _Uninstrumented(f"{type(e).__name__}: {e}") from e

    return make_amdgcn


def _make_hsaco(stock_hsaco):
    def make_hsaco(source, metadata, options):
        if _active() and f'"code=llvm-{pieces.LLVM}"' in source[-200:]:
            return llvm.code_object(source, options.arch)
        return stock_hsaco(source, metadata, options)

    return make_hsaco


def hook(backends):
    """Wraps the stages of the AMD backend, in the class that Triton really uses."""
    backend = backends["amd"].compiler
    pieces.tool("opt"), pieces.version()  # what is missing is said here, once, and nothing is hooked
    pieces.help_triton()
    stock_hash = backend.hash

    def hash_(self):
        return f"{stock_hash(self)}-lanescope-{pieces.version()}" if _active() else stock_hash(self)

    backend.make_amdgcn = staticmethod(_make_amdgcn(backend.make_amdgcn))
    backend.make_hsaco = staticmethod(_make_hsaco(backend.make_hsaco))
    backend.hash = hash_


def hook_compile(compiler):
    """A kernel that could not be instrumented is compiled again without us, under the stock cache key."""
    stock_compile = compiler.compile

    def compile_(*arguments, **keywords):
        try:
            return stock_compile(*arguments, **keywords)
        except _Uninstrumented as e:
            name = getattr(getattr(arguments[0], "fn", None), "__name__", "a kernel") if arguments else "a kernel"
            messages.say(f"Triton: {name} is not observed: {e}; the stock kernel runs")
        with stock():
            return stock_compile(*arguments, **keywords)

    compile_.__wrapped__ = stock_compile
    compiler.compile = compile_
