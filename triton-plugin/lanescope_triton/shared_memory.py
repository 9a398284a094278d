"""What Triton's compiler uses shared memory for, in words of the author, from the text of its last GPU module (.ttgir)."""

import os
import re

MOST = 64  # places of a kernel
_LENGTH = 400  # of one's words

_LAYOUT = re.compile(r"^#(\w+) = #(?:triton_gpu|ttg)\.(.*?)\s*$", re.M)
_PLACE = re.compile(r"^(#loc\d*) = loc\((.*)\)\s*$", re.M)
_FILE = re.compile(r'"([^"]*)":(\d+):(\d+)')
# "%11 = ttg.convert_layout %10 : ... loc(#loc11)"; results of several values have ":2" behind their name. An operation with a
# region has its types and place behind that: "%3 = "tt.reduce"(%2) <{axis = 0 : i32}> ({", and "}) : ... loc(#loc4)" later.
_OPERATION = re.compile(r"^\s*(?:(%\w+)(?::\d+)? = )?\"?([a-z_]+\.[\w.]+)\"?(.*?)(?: loc\((#loc\d*)\))?\s*$")
_BEHIND_REGION = re.compile(r"^\s*\}\)(.*?)(?: loc\((#loc\d*)\))?\s*$")
_TRITON, _AMD = "tt", ("amdg", "amdgpu")
_USERS = {"dot": "tl.dot", "dot_scaled": "tl.dot_scaled", "store": "tl.store", "buffer_store": "tl.store", "load": "tl.load", "buffer_load": "tl.load",
          "buffer_load_to_local": "tl.load", "reduce": "a reduction", "scan": "a scan", "gather": "tl.gather", "histogram": "tl.histogram",
          "atomic_rmw": "an atomic", "atomic_cas": "an atomic", "buffer_atomic_rmw": "an atomic", "buffer_atomic_cas": "an atomic",
          "trans": "tl.trans", "reshape": "tl.reshape"}
# What they need shared memory for themselves.
_OWN = {"reduce": "warps put together what they have of a reduction", "scan": "warps put together what they have of a scan",
        "gather": "elements of tl.gather from other lanes", "histogram": "the counts of tl.histogram",
        "atomic_rmw": "one lane tells the others what an atomic has returned", "atomic_cas": "one lane tells the others what an atomic has returned"}
_SHARED = {"shared": "swizzled", "swizzled_shared": "swizzled", "padded_shared": "padded", "amd_rotating_shared": "rotating"}
# Of layouts: what clusters have, which AMD GPUs have not; and where each bit of an offset goes, which nobody writes.
_SILENT = ("CTA", "CGA", "hasLeadingOffset", "block =", "offset =")


def _split(text):
    """At commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += 1 if c in "<{[(" else -1 if c in "]})" or c == ">" and text[i - 1 : i] != "-" else 0
        if c == "," and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]


def _encodings(types):
    """Layouts of the tensors and memory in a list of types; memory that an operation writes may have no word: "-> <32x32xf16, #shared, #smem>"."""
    for match in re.finditer(r"(?:tensor|memdesc|-> )<", types):
        depth, end = 1, match.end()
        while depth and end < len(types):
            depth += {"<": 1, ">": -1}.get(types[end], 0)
            end += 1
        inside = _split(types[match.end() : end - 1])
        if len(inside) > 1:
            yield inside[1]


class _Module:
    def __init__(self, text, library):
        self._layouts = dict(_LAYOUT.findall(text))
        self._places = dict(_PLACE.findall(text))
        self.operations = list(self._operations(text))
        self._users = {}
        for _, operation, rest, where in self.operations:
            dialect, _, name = operation.partition(".")
            if name in _USERS and (dialect == _TRITON or dialect in _AMD):
                # of fp8 the compiler makes tl.dot_scaled without scales
                user = "tl.dot" if name == "dot_scaled" and " scale " not in rest else _USERS[name]
                user = user.replace("tl.", library)
                for value in re.findall(r"%\w+", rest.split(" : ")[0]):
                    self._users.setdefault(value, f" for {user} at line {(self.author(where) or ('', '?'))[1]}")

    @staticmethod
    def _operations(text):
        """(value, operation, operands and types, place)"""
        open_regions = []
        for line in text.splitlines():
            behind = _BEHIND_REGION.match(line)
            found = None if behind else _OPERATION.match(line)
            if behind and open_regions:
                value, operation, rest, _ = open_regions.pop()
                yield value, operation, rest + behind.group(1), behind.group(2)
            elif found and line.rstrip().endswith("({"):
                open_regions.append(found.groups())
            elif found:
                yield found.groups()

    def place(self, name, depth=8):
        """(file, line, column), the innermost one; None when there is none."""
        text = self._places.get(name, "")
        found = _FILE.search(text)
        if found:
            return found.groups()
        inner = re.search(r"#loc\d*", text)
        return self.place(inner.group(0), depth - 1) if inner and depth else None

    def author(self, name, depth=8):
        """The nearest place that is none of Triton's own files."""
        text = self._places.get(name, "")
        found = _FILE.search(text)
        if found and "/triton/language/" not in found.group(1).replace(os.sep, "/"):
            return found.groups()
        for inner in re.findall(r"#loc\d*", text) if depth else ():
            if place := self.author(inner, depth - 1):
                return place
        return None

    def user(self, value):
        return self._users.get(value, "")

    def text_of(self, encoding):
        return self._layouts.get(encoding.lstrip("#"), re.sub(r"#(?:triton_gpu|ttg)\.", "", encoding))

    def layout(self, encoding):
        """ "blocked (sizePerThread [1, 4], order [1, 0])" """
        operand = re.match(r"#(?:triton_gpu|ttg)\.dot_op<\{opIdx = (\d)", encoding)
        if operand:
            return f"operand {'ab'[int(operand.group(1))]} of a dot" if operand.group(1) in "01" else "operand of a dot"
        part = re.match(r"#(?:triton_gpu|ttg)\.slice<\{dim = (\d+), parent = (.*)\}>$", encoding)
        if part:
            return f"slice (dim {part.group(1)}) of {self.layout(part.group(2))}"
        text = self.text_of(encoding)
        kind, _, rest = text.partition("<")
        fields = re.findall(r"(\w+ = (?:\[\[.*?\]\]|\[.*?\]|[^,\[\]{}<>]+))", rest)
        fields = [f.replace(" = ", " ") for f in fields if not f.startswith(_SILENT)]
        kind = _SHARED.get(kind, kind)
        if kind == "padded":  # "[512:+16, 4096:+32] {order = [1, 0], shape = [64, 64]}"
            fields = [f"{p} behind each {n} elements" for n, p in re.findall(r"(\d+):\+(\d+)", rest)] + fields
        if kind == "swizzled" and "maxPhase 1" in fields:
            return "not swizzled"
        return f"{kind} ({', '.join(fields)})" if fields else kind

    def dots_of(self):
        """layout in shared memory -> " for tl.dot at line 42", where all that load it are operands of that one."""
        found = {}
        for value, operation, rest, _ in self.operations:
            if operation.endswith(".local_load"):
                for encoding in list(_encodings(rest))[:1]:
                    found.setdefault(encoding, set()).add(self.user(value))
        return {encoding: users.pop() for encoding, users in found.items() if len(users) == 1}


def _said(module, dots, operation, value, rest):
    """(KIND, words) of an operation that uses shared memory, or None."""
    dialect, _, name = operation.partition(".")
    layouts = list(_encodings(rest))
    if dialect == _TRITON:
        return ("access", _OWN[name]) if name in _OWN and (name[:6] != "atomic" or not layouts) else None
    if dialect not in ("ttg", "triton_gpu", *_AMD) or not layouts:
        return None
    if name == "convert_layout" and len(layouts) == 2:
        return "access", f"layout conversion{module.user(value)}: {module.layout(layouts[0])} to {module.layout(layouts[1])}"
    if name.startswith("local_load"):
        return "load", f"shared memory{module.user(value)}: {module.layout(layouts[0])}"
    if name == "local_store" or name == "local_alloc" and len(layouts) == 2:
        return "store", f"shared memory{dots.get(layouts[-1], '')}: {module.layout(layouts[-1])}"
    if name.endswith("load_to_local") or name == "async_copy_global_to_local":
        return "LDS DMA write", f"shared memory{dots.get(layouts[-1], '')}: {module.layout(layouts[-1])}"
    return None


_UNKNOWN = "0 0 0 0"
_BYTES = re.compile(r"^(?:[a-z]+(64|32|16|8)|f8E\w+|i1)$")


def _tile(module, types):
    """ "ROWS ROW ELEMENT PLAIN" of the first memory in a list of types, in bytes; PLAIN is 1 where no element is moved within it. Zeros:
    not known. Memory of a part of it tells the whole behind that: "memdesc<32x64xf16, #shared, #smem, mutable, 64x64>"."""
    memory = re.search(r"(?:memdesc|-> )<([^<>]*(?:<[^<>]*>[^<>]*)*)>", types)
    parts = _split(memory.group(1)) if memory else [""]
    *sizes, element = parts[0].split("x")
    if len(parts) > 1 and re.fullmatch(r"\d+(x\d+)*", parts[-1]):
        sizes = parts[-1].split("x")
    text = module.text_of(parts[1]) if len(parts) > 1 else ""
    order, bits = re.search(r"order = \[([\d, ]+)\]", text), _BYTES.match(element)
    if not order or not bits or not all(n.isdigit() for n in sizes):
        return _UNKNOWN
    order = [int(n) for n in order.group(1).split(",")]
    sizes = [int(n) for n in sizes][-len(order) :]
    if len(sizes) != len(order) or sorted(order) != list(range(len(order))):
        return _UNKNOWN
    element, row, rows = int(bits.group(1) or 8) // 8, sizes[order[0]], 1
    for dimension in order[1:]:
        rows *= sizes[dimension]
    return f"{rows} {row * element} {element} {int('maxPhase = 1,' in text)}"


def words(text, library="tl."):
    """ "shared=FILE:LINE:COLUMN:KIND words" for each place that uses shared memory; KIND is "load", "store", "LDS DMA write", or "access" for
    all. And "tile=FILE:LINE:COLUMN:KIND ROWS ROW ELEMENT PLAIN" where that is memory with a layout; zeros: one that only Triton chooses, or that
    is not understood."""
    module, found, tiles = _Module(text, library), [], []
    dots = module.dots_of()
    for value, operation, rest, where in module.operations:
        place, said = module.place(where), _said(module, dots, operation, value, rest)
        if not place or not said:
            continue
        at = f"{os.path.basename(place[0])}:{place[1]}:{place[2]}:{said[0]}"
        line = f"shared={at} {said[1].replace('tl.', library)}"
        line = line if len(line) <= _LENGTH else line[: _LENGTH - 3] + "..."
        tile = f"tile={at} {_UNKNOWN if said[0] == 'access' else _tile(module, rest)}"
        if line not in found and len(found) < MOST:
            found.append(line)
        if tile not in tiles and len(tiles) < MOST:
            tiles.append(tile)
    return found + tiles
