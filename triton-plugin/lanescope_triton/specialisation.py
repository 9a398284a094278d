"""What tells the kernels of one function apart: types, constants and options that Triton has compiled in."""

import contextlib
import hashlib
import re
import types

_OPTIONS = ("num_warps", "num_stages")
# Said where they are not the default of that version of Triton, which its class HIPOptions has.
_TUNED = ("num_ctas", "waves_per_eu", "matrix_instr_nonkdim", "kpack", "schedule_hint", "instruction_sched_variant",
          "allow_flush_denorm", "launch_cooperative_grid", "llvm_fn_attrs", "wgp_cu_mode", "debug")
_LENGTH = 60  # of one value


def _text(value):
    if type(value).__name__ == "constexpr":
        value = value.value
    text = getattr(value, "__name__", None) or str(value)
    text = "".join(c if c.isprintable() and c not in "\\\"<>" and ord(c) < 127 else "?" for c in text)
    if len(text) > _LENGTH:  # what is cut away may be all that tells two kernels apart; addresses of objects differ in each run
        told = re.sub(r" at 0x[0-9a-f]+", "", str(value))
        text = f"{text[: _LENGTH - 8]}...#{hashlib.sha256(told.encode()).hexdigest()[:4]}"
    return text


def _by_name(values, names):
    """{argument's name: value}, from keys that are names, numbers, or paths of numbers, by version; of a tuple's member "argument.1"."""
    found = {}
    for key, value in (values or {}).items():
        first, *members = key if isinstance(key, tuple) else (key,)
        found[".".join(map(str, (names[first] if isinstance(first, int) else first, *members)))] = value
    return found


def _divisible(attributes, names):
    """Names of arguments that Triton takes for multiples of 16."""
    if attributes is None:
        return set()
    numbers = getattr(attributes, "divisibility_16", None)  # up to 3.1
    if numbers is None and hasattr(attributes, "get_fn_attrs"):
        attributes = attributes.get_fn_attrs()  # 3.2
    if numbers is None:
        numbers = [key for key, value in dict(attributes).items() if any("divisibility" in str(v) for v in value)]
    numbers = [n[0] if isinstance(n, tuple) else n for n in numbers]
    return {names[n] if isinstance(n, int) else n for n in numbers}


def _captured(function):
    """{name: value} of what the kernel, or a function that it calls, has from the function around it; a module's globals are
    the same for all of its kernels."""
    inner = getattr(function, "fn", None)
    cells = zip(getattr(getattr(inner, "__code__", None), "co_freevars", ()), getattr(inner, "__closure__", None) or ())
    found = {}
    for variable, cell in cells:
        with contextlib.suppress(ValueError):  # not set yet
            if hasattr(cell.cell_contents, "__name__") and not isinstance(cell.cell_contents, types.ModuleType):
                found[variable] = cell.cell_contents  # a function that it calls, a type
    for (variable, _), (value, where) in getattr(function, "used_global_vals", {}).items():
        if "__builtins__" not in where:
            found[variable] = value
    return dict(sorted(found.items()))


def _tuned(options):
    """[(option, value)] of what the launch or the autotuner has chosen otherwise than Triton would."""
    fields, found = getattr(type(options), "__dataclass_fields__", {}), []
    for option in _TUNED:
        value, default = getattr(options, option, None), getattr(fields.get(option), "default", None)
        if option in fields and value != default and (value or default):  # "" may have become ()
            found.append((option, value))
    if getattr(options, "enable_fp_fusion", True) is False:  # whose default is on, whatever the class says
        found.append(("enable_fp_fusion", False))
    return found


def name(source, options):
    """For example "add<x=*fp32:16, n=i32, BLOCK=1024, num_warps=4, num_stages=2>", where ":16" means a multiple of 16; None when
    it cannot be told. source: Triton's ASTSource."""
    function = getattr(source, "fn", None)
    names = list(getattr(function, "arg_names", ()))
    if not names:
        return None
    signature = _by_name(source.signature, names)
    constants = _by_name(getattr(source, "constants", None), names)
    divisible = _divisible(getattr(source, "attrs", None), names)
    parts = []
    for argument in names:
        if argument in constants:
            parts.append(f"{argument}={_text(constants[argument])}")
        elif argument in signature:
            parts.append(f"{argument}={_text(signature[argument])}{':16' if argument in divisible else ''}")
        parts += [f"{member}={_text(value)}" for member, value in constants.items() if member.startswith(f"{argument}.")]
    parts += [f"{variable}={_text(value)}" for variable, value in _captured(function).items()]
    parts += [f"{option}={getattr(options, option)}" for option in _OPTIONS if hasattr(options, option)]
    parts += [f"{option}={_text(value)}" for option, value in _tuned(options)]
    return f"{_text(function.__name__)}<{', '.join(parts)}>"
