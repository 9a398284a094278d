"""What Triton's compiler uses shared memory for, in words of the author, from the text of its last GPU module (.ttgir)."""

import os
import re

MOST = 64  # places of a kernel
_LENGTH = 400  # of one's words

_LAYOUT = re.compile(r"^#(\w+) = #(?:triton_gpu|ttg)\.(.*?)\s*$", re.M)
_PLACE = re.compile(r"^(#loc\d*) = loc\((.*)\)\s*$", re.M)
_FILE = re.compile(r'"([^"]*)":(\d+):(\d+)')
# "%11 = ttg.convert_layout %10 : ... loc(#loc11)"; results of several values have ":2" behind their name.
_OPERATION = re.compile(r"^\s*(?:(%\w+)(?::\d+)? = )?\"?([a-z_]+\.[\w.]+)\"?(.*?)(?: loc\((#loc\d*)\))?\s*$", re.M)
_USERS = {"tt.dot": "tl.dot", "tt.dot_scaled": "tl.dot_scaled", "tt.store": "tl.store", "tt.load": "tl.load", "tt.reduce": "a reduction",
          "tt.scan": "a scan", "tt.gather": "tl.gather", "tt.atomic_rmw": "an atomic", "tt.histogram": "tl.histogram", "tt.trans": "tl.trans",
          "tt.reshape": "tl.reshape"}
_SHARED = {"shared": "swizzled", "swizzled_shared": "swizzled", "padded_shared": "padded"}
_SILENT = ("CTA", "CGA", "hasLeadingOffset", "block =")  # of layouts: what clusters have, which AMD GPUs have not


def _encodings(types):
    """Layouts of the tensors and memory in a list of types."""
    for match in re.finditer(r"(?:tensor|memdesc)<", types):
        depth, end = 1, match.end()
        while depth and end < len(types):
            depth += {"<": 1, ">": -1}.get(types[end], 0)
            end += 1
        inside = types[match.end() : end - 1].split(", ", 1)
        if len(inside) == 2:
            yield re.sub(r", #(?:triton_gpu|ttg)\.shared_memory.*", "", inside[1])


class _Module:
    def __init__(self, text):
        self._layouts = dict(_LAYOUT.findall(text))
        self._places = dict(_PLACE.findall(text))
        self.operations = [m.groups() for m in _OPERATION.finditer(text)]
        self._users = {}
        for _, operation, rest, where in self.operations:
            if operation in _USERS:
                for value in re.findall(r"%\w+", rest.split(" : ")[0]):
                    self._users.setdefault(value, f" for {_USERS[operation]} at line {(self.place(where) or ('', '?'))[1]}")

    def place(self, name, depth=8):
        """(file, line, column), the innermost one; None when there is none."""
        text = self._places.get(name, "")
        found = _FILE.search(text)
        if found:
            return found.groups()
        inner = re.search(r"#loc\d*", text)
        return self.place(inner.group(0), depth - 1) if inner and depth else None

    def user(self, value):
        return self._users.get(value, "")

    def layout(self, encoding):
        """ "blocked (sizePerThread [1, 4], order [1, 0])" """
        operand = re.match(r"#(?:triton_gpu|ttg)\.dot_op<\{opIdx = (\d)", encoding)
        if operand:
            return f"operand {'ab'[int(operand.group(1))]} of a dot" if operand.group(1) in "01" else "operand of a dot"
        text = self._layouts.get(encoding.lstrip("#"), re.sub(r"#(?:triton_gpu|ttg)\.", "", encoding))
        kind, _, rest = text.partition("<")
        fields = re.findall(r"(\w+ = (?:\[\[.*?\]\]|\[.*?\]|[^,\[\]{}<>]+))", rest)
        fields = [f.replace(" = ", " ") for f in fields if not f.startswith(_SILENT)]
        kind = _SHARED.get(kind, kind)
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


def words(text):
    """ "FILE:LINE:COLUMN:KIND words" for each place that uses shared memory; KIND is "load", "store", or "access" for both."""
    module, found = _Module(text), []
    dots = module.dots_of()
    for value, operation, rest, where in module.operations:
        name, place, layouts = operation.split(".", 1)[-1], module.place(where), list(_encodings(rest))
        if not place or not operation.startswith(("ttg.", "triton_gpu.")):
            continue
        if name == "convert_layout" and len(layouts) == 2:
            kind = "access"
            said = f"layout conversion{module.user(value)}: {module.layout(layouts[0])} to {module.layout(layouts[1])}"
        elif name == "local_load" and layouts:
            kind, said = "load", f"shared memory{module.user(value)}: {module.layout(layouts[0])}"
        elif name == "local_store" and layouts or name == "local_alloc" and len(layouts) == 2:
            kind, said = "store", f"shared memory{dots.get(layouts[-1], '')}: {module.layout(layouts[-1])}"
        else:
            continue
        line = f"{os.path.basename(place[0])}:{place[1]}:{place[2]}:{kind} {said}"
        line = line if len(line) <= _LENGTH else line[: _LENGTH - 3] + "..."
        if line not in found and len(found) < MOST:
            found.append(line)
    return found
