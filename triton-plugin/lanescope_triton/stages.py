"""Between Triton's stages `llir` and `amdgcn` the module gets its clone; the cache keys say so."""

import contextlib
import os
import re
import threading

from . import cold_code, kept, llvm, messages, original, pieces, shared_memory, source_texts, specialisation, text, tool_library

# Tritons whose code generator cannot read LLVM 22's text: LLVM 22 generates original and clone.
_FOREIGN_CODE = (3, 3)
_SECTION = ".lanescope.compiler"
_MARK = f"\t.section\t{_SECTION}"
_state = threading.local()
_hooked = set()  # classes of backends


def _version():
    import triton

    return tuple(int(n) for n in re.findall(r"\d+", triton.__version__)[:2])


def _is_foreign():
    return _version() < _FOREIGN_CODE


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


@contextlib.contextmanager
def _or_uninstrumented():
    """Whatever goes wrong inside, the kernel can run without us."""
    try:
        yield
    except Exception as e:
        raise _Uninstrumented(f"{type(e).__name__}: {e}") from e


def _note(options, **fields):
    """Survives assembler and linker: a section that is not loaded, read by the tool library (docs/triton.md)."""
    with contextlib.suppress(Exception):  # of a version that nobody tried: the kernel has its plain name then
        fields["kernel"] = specialisation.name(_state.source, options)
    lines = [f"{key}={value}" for key, value in fields.items() if value]
    with contextlib.suppress(Exception):
        library = "gl." if type(_state.source).__name__.startswith("Gluon") else "tl."
        lines += [_plain(said) for said in shared_memory.words(getattr(_state, "module", ""), library)]
    words = "\\n".join(lines)
    return f'{_MARK},"",@progbits\n\t.asciz\t"{words}"\n'


def _plain(words):
    """As text between quotes of an assembler."""
    return re.sub(r'[^ -~]|["\\\\]', "?", words)


def _kernel(assembly):
    names = re.findall(r"^\s*\.amdhsa_kernel (?!__ls_)(\S+)$", assembly, re.M)
    if len(names) != 1:
        raise llvm.Failed(f"{len(names)} kernels where one is expected")
    return names[0]


def _foreign(source, metadata, options, stock_amdgcn):
    """Original and clone by our LLVM."""
    if os.environ.get("AMDGCN_ENABLE_DUMP") == "1" or _asked("LLVM_IR_ENABLE_DUMP"):
        stock_amdgcn(source, metadata, options)  # which prints what it makes, and what its passes do
    with llvm.instrumenting(text.for_plugin(source, _version()), options.arch) as made:
        with_clone, cold = cold_code.taken_from(made())
        assembly = llvm.assembly(with_clone, options.arch, fusion=options.enable_fp_fusion)
    metadata["name"] = _kernel(assembly)
    return cold_code.put_into(assembly, cold) + _note(options, code=f"llvm-{pieces.LLVM}")


@contextlib.contextmanager
def _without_dumps():
    """Inside, Triton writes no files for those who look at its compiler's steps: it has written them of the stock kernel."""
    before, _state.dumps_off = getattr(_state, "dumps_off", False), True
    try:
        yield
    finally:
        _state.dumps_off = before


def _hook_dumps(stock_amdgcn):
    """Of those to files, since Triton 3.6, each reads and prepares the whole module before it finds that nobody asked for it."""
    llvm_of_triton = getattr(stock_amdgcn, "__globals__", {}).get("llvm")  # Triton 3.2 has the module in no list
    for name in ("translate_to_mir", "dump_sched_dag"):
        stock_dump = getattr(llvm_of_triton, name, None)
        if not stock_dump:
            continue

        def dump(*arguments, _stock=stock_dump, **keywords):
            return "" if getattr(_state, "dumps_off", False) else _stock(*arguments, **keywords)

        setattr(llvm_of_triton, name, dump)
    names = getattr(stock_amdgcn, "__globals__", {})
    stock_print = names.get("print", print)

    def print_(*arguments, **keywords):
        if not getattr(_state, "dumps_off", False):
            stock_print(*arguments, **keywords)

    names["print"] = print_  # what AMDGCN_ENABLE_DUMP asks for


def _own(source, metadata, options, stock_amdgcn):
    """Original and clone by Triton's own code generator, as far as it gives the stock original."""
    with llvm.instrumenting(text.for_plugin(source, _version()), options.arch, own=True) as made:
        plain = stock_amdgcn(source, metadata, options)
        with_clone, cold = cold_code.taken_from(made())
        with _without_dumps():
            assembly = stock_amdgcn(text.for_triton(with_clone, _version(), source), metadata, options)
    kernel = _kernel(assembly)
    differs = original.difference(plain, assembly, kernel)
    if differs:
        messages.say(f"Triton: {kernel}: the original beside the clone is not the stock kernel ({differs})")
    return cold_code.put_into(assembly, cold) + _note(options, code="stock", original=f"changed ({_plain(differs)})" if differs else "identical")


def _make_llir(stock_llir):
    """Keeps the text of the module that is about to be lowered: it tells what shared memory is used for."""

    def make_llir(source, metadata, options, *arguments, **keywords):
        _state.module = ""
        if _active():
            with contextlib.suppress(Exception):  # the kernel's rows lack a detail then
                _state.module = str(source)
            with contextlib.suppress(Exception):  # said when the kernel gets its clone
                llvm.prepare(options.arch, own=not _is_foreign())
        return stock_llir(source, metadata, options, *arguments, **keywords)

    return make_llir


def _make_amdgcn(stock_amdgcn):
    def make_amdgcn(source, metadata, options):
        if not _active():
            return stock_amdgcn(source, metadata, options)
        make = _foreign if _is_foreign() else _own
        with _or_uninstrumented():
            _state.made = True
            return make(source, metadata, options, stock_amdgcn)

    return make_amdgcn


def _make_hsaco(stock_hsaco):
    def make_hsaco(source, metadata, options):
        mark = source.rfind(_MARK)
        if not _active() or mark < 0:
            return stock_hsaco(source, metadata, options)
        with _or_uninstrumented():
            foreign = f'"code=llvm-{pieces.LLVM}' in source[mark:]
            code = llvm.code_object(source, options.arch) if foreign else stock_hsaco(source, metadata, options)
            if not _from_files():  # what is kept may be another one then
                kept.seal(metadata, code)
            return code

    return make_hsaco


def hook(backends):
    """Wraps the stages of the AMD backend, in the class that Triton really uses."""
    backend = backends["amd"].compiler
    if backend in _hooked:  # Triton has been imported anew, and found its old one
        return
    pieces.help_triton()  # without our tools, too: stock kernels are to run then
    pieces.tool("opt"), pieces.version()  # what is missing is said here, once, and nothing is hooked
    stock_hash = backend.hash

    def hash_(self):
        return f"{stock_hash(self)}-lanescope-{pieces.version()}" if _active() else stock_hash(self)

    if hasattr(backend, "make_llir"):
        backend.make_llir = staticmethod(_make_llir(backend.make_llir))
    _hook_dumps(backend.make_amdgcn)
    backend.make_amdgcn = staticmethod(_make_amdgcn(backend.make_amdgcn))
    backend.make_hsaco = staticmethod(_make_hsaco(backend.make_hsaco))
    backend.hash = hash_
    _hooked.add(backend)


def _name(source):
    return getattr(getattr(source, "fn", None), "__name__", "a kernel")


def _may_be_ours(error):
    """Whether the stock kernel may get further: what comes before code is generated fails without us, too, unless a cache has something
    broken of ours. Behind that, caches may refuse what is ours, each with errors of its own."""
    return getattr(_state, "made", False) or isinstance(error, (_Uninstrumented, *kept.BROKEN))


def _observed(stock_compile, arguments, keywords):
    """The kernel with probes, compiled or from the cache. What a compile that failed left there goes: the disk may be full."""
    for again in (False, True):
        _state.folder, _state.made = None, False
        try:
            made = stock_compile(*arguments, **keywords)
            if kept.is_whole(made):
                if _state.made and kept.crowds(_state.folder):
                    kept.discard(_state.folder)  # it has been read, and the next run compiles again
                return made
            why = None
        except Exception as e:
            if not _may_be_ours(e):
                raise
            why = e
        if why and (_state.made or not kept.is_complete(_state.folder)):
            if _state.made or isinstance(why, (_Uninstrumented, OSError)):
                kept.discard(_state.folder)
            raise why
        if not kept.discard(_state.folder) or again:
            raise _Uninstrumented("what the cache holds of it is damaged, and stays so") from why


def _managers(compiler):
    """Notes where the kernel that this thread compiles is kept. Without that only what is broken stays so."""
    stock_manager = getattr(compiler, "get_cache_manager", None)

    def get_cache_manager(*arguments, **keywords):
        manager = stock_manager(*arguments, **keywords)
        if _active():
            _state.folder = kept.folder(manager)
        return manager

    if stock_manager:
        compiler.get_cache_manager = get_cache_manager


def _tell(cause, text):
    """One line for each cause, on stderr and in the recording."""
    if messages.say_once(cause, text) and tool_library.now():
        tool_library.now().lanescope_uninstrumented(text.encode(errors="replace"))


def _asked(variable):
    return os.environ.get(variable, "").lower() in ("1", "true", "yes", "on", "y")


def _from_files():
    """Whether files of the program's author may stand in for what a stage has made."""
    return _asked("TRITON_KERNEL_OVERRIDE")


def _tell_of_file(source, made):
    """Triton takes assembly and code objects from there as they are."""
    with contextlib.suppress(Exception):  # nobody knows what it is
        if _from_files() and _SECTION.encode() not in made.asm["hsaco"]:
            name = _name(source)
            _tell((name, "file"), f"Triton: {name} is not observed: TRITON_KERNEL_OVERRIDE takes its machine code from a file, which has no "
                                  "probes; overriding its .llir or an earlier stage keeps them")


def _tell_of_interpreter():
    if _asked("TRITON_INTERPRET"):
        messages.say("Triton: TRITON_INTERPRET has kernels run on the processor: they are not observed")


def hook_compile(compiler):
    """A kernel that could not be instrumented is compiled again without us, under the stock cache key. So is one that could not
    be kept: under the stock key it may be in a cache that cannot be written."""
    stock_compile = compiler.compile
    _tell_of_interpreter()
    _managers(compiler)

    def compile_(*arguments, **keywords):
        if not _active():
            return stock_compile(*arguments, **keywords)
        before = getattr(_state, "source", None)
        source = _state.source = arguments[0] if arguments else keywords.get("src")
        try:
            made = _observed(stock_compile, arguments, keywords)
            source_texts.tell(made)
            _tell_of_file(source, made)
            return made
        except OSError as e:
            cause, why = e.errno, f"{type(e).__name__}: {e}"  # which names a folder of this kernel only
        except _Uninstrumented as e:
            cause = why = str(e)
        except Exception as e:
            if not _may_be_ours(e):
                raise
            cause = why = f"{type(e).__name__}: {e}"
        finally:
            _state.source = before
        with stock():
            made = stock_compile(*arguments, **keywords)
        _tell(cause, f"Triton: {_name(source)} is not observed (others of this cause are not named): {why}; the stock kernel runs")
        return made

    compile_.__wrapped__ = stock_compile
    compiler.compile = compile_
