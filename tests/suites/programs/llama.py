"""llama.cpp with a made-up model: the text that the GPU backend makes is the CPU backend's, for each kind of numbers. The CPU
backend gets the same numbers as F32, since for others it rounds activations, too, and near ties fall otherwise.

Usage: llama.py SEED COUNT. A language model of two layers with random weights is written as GGUF, brought into COUNT of the
formats below by llama-quantize, and continues a text, always with the likeliest token."""

import array
import os
import random
import struct
import subprocess
import sys

FORMATS = ["F32", "F16", "BF16"]  # in others the GPU backend rounds activations, too
WIDTH, INNER, LAYERS, HEADS = 256, 512, 2, 4
UNKNOWN, CONTROL, NORMAL, BYTE = 2, 3, 1, 6  # token types of llama.cpp
UINT32, FLOAT32, STRING, ARRAY, INT32 = 4, 6, 8, 9, 5  # value types of GGUF
ALIGNMENT = 32


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def pair(key, kind, value):
    packed = text(value) if kind == STRING else struct.pack("<f" if kind == FLOAT32 else "<I", value)
    return text(key) + struct.pack("<I", kind) + packed


def pairs(key, kind, values):
    packed = b"".join(map(text, values)) if kind == STRING else array.array("f" if kind == FLOAT32 else "i", values).tobytes()
    return text(key) + struct.pack("<IIQ", ARRAY, kind, len(values)) + packed


def vocabulary():
    tokens = [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL)]
    tokens += [(f"<0x{i:02X}>", BYTE) for i in range(256)]
    tokens += [(chr(c), NORMAL) for c in range(ord("a"), ord("z") + 1)] + [("\u2581", NORMAL)]
    return tokens


def header(tokens):
    numbers = {"context_length": 256, "embedding_length": WIDTH, "block_count": LAYERS, "feed_forward_length": INNER,
               "attention.head_count": HEADS, "attention.head_count_kv": HEADS, "rope.dimension_count": WIDTH // HEADS,
               "vocab_size": len(tokens)}
    found = [pair("general.architecture", STRING, "llama"), pair("tokenizer.ggml.model", STRING, "llama")]
    found += [pair(f"llama.{k}", UINT32, v) for k, v in numbers.items()]
    found += [pair("llama.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5),
              pairs("tokenizer.ggml.tokens", STRING, [t for t, _ in tokens]),
              pairs("tokenizer.ggml.scores", FLOAT32, [-float(i) for i in range(len(tokens))]),
              pairs("tokenizer.ggml.token_type", INT32, [k for _, k in tokens]),
              pair("tokenizer.ggml.bos_token_id", UINT32, 1), pair("tokenizer.ggml.eos_token_id", UINT32, 2)]
    return found


def shapes(n_tokens):
    found = {"token_embd": (WIDTH, n_tokens), "output_norm": (WIDTH,), "output": (WIDTH, n_tokens)}
    for i in range(LAYERS):
        found |= {f"blk.{i}.{name}": (WIDTH, WIDTH) for name in ("attn_q", "attn_k", "attn_v", "attn_output")}
        found |= {f"blk.{i}.{name}": (WIDTH,) for name in ("attn_norm", "ffn_norm")}
        found |= {f"blk.{i}.ffn_gate": (WIDTH, INNER), f"blk.{i}.ffn_up": (WIDTH, INNER), f"blk.{i}.ffn_down": (INNER, WIDTH)}
    return found


def write_model(path, seed):
    """Norms are 1; the weights of a matrix keep the size of what goes through it."""
    make, tokens = random.Random(seed), vocabulary()
    metadata, tensors, data = header(tokens), shapes(len(tokens)), b""
    infos = []
    for name, shape in tensors.items():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        values = [1.0] * count if len(shape) == 1 else [make.gauss(0, shape[0] ** -0.5) for _ in range(count)]
        infos.append(text(f"{name}.weight") + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(data)))
        data += array.array("f", values).tobytes()
        data += bytes(-len(data) % ALIGNMENT)
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata)) + b"".join(metadata + infos)
    with open(path, "wb") as f:
        f.write(head + bytes(-len(head) % ALIGNMENT) + data)


def complete(path, device, layers):
    """The text that follows, or an error; so is a device that llama.cpp does not have."""
    done = subprocess.run(["llama-completion", "-m", path, "--device", device, "-ngl", str(layers), "-p", "lanes and banks",
                           "-n", "12", "-c", "128", "--temp", "0", "-no-cnv", "--no-warmup", "-t", "1"],
                          stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise RuntimeError(f"{device}: exit code {done.returncode}: {last}")
    return done.stdout


def convert(path, name, folder):
    """A copy of the model in another format."""
    copy = f"{folder}/{name}.gguf"
    subprocess.run(["llama-quantize", "--allow-requantize", path, copy, name], check=True, capture_output=True)
    return copy


def compare(name, folder):
    model = f"{folder}/model.gguf"
    path = model if name == "F32" else convert(model, name, folder)
    exact = path if name == "F32" else convert(path, "F32", folder)
    want, got = complete(exact, "none", 0), complete(path, "ROCm0", 99)
    if len(want) < 16:
        raise RuntimeError(f"no text: {want!r}")
    if want != got:
        raise RuntimeError(f"CPU {want!r}, GPU {got!r}")


def main():
    seed, count = sys.argv[1], int(sys.argv[2])
    write_model("model.gguf", seed)
    failures = 0
    for name in random.Random(seed).sample(FORMATS, min(count, len(FORMATS))):
        try:
            compare(name, os.getcwd())
            print(f"PASSED {name}", flush=True)
        except (RuntimeError, subprocess.CalledProcessError) as e:
            failures += 1
            print(f"FAILED {name}: {e}", flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
