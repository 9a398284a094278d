"""hiprtc as Python packages use it, opened and not linked: compiles a kernel, and says whether LLVM has become global."""

import ctypes
import sys

SOURCE = b"extern \"C\" __global__ void k(int *out)\n{\n    out[threadIdx.x] = 1;\n}\n"

hip = ctypes.CDLL(sys.argv[1], mode=ctypes.DEFAULT_MODE)  # RTLD_LOCAL
assert hip.hipInit(0) == 0
program, size = ctypes.c_void_p(), ctypes.c_size_t()
assert hip.hiprtcCreateProgram(ctypes.byref(program), SOURCE, b"k.hip", 0, None, None) == 0
options = (ctypes.c_char_p * 1)(b"--offload-arch=gfx90a")
assert hip.hiprtcCompileProgram(program, 1, options) == 0
assert hip.hiprtcGetCodeSize(program, ctypes.byref(size)) == 0
code = ctypes.create_string_buffer(size.value)
assert hip.hiprtcGetCode(program, code) == 0
print("clone" if b"__ls_k_" in code.raw else "plain", "global" if hasattr(ctypes.CDLL(None), "LLVMContextCreate") else "local")
