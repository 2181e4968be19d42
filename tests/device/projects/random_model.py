"""Write a small random model of llama's architecture: random_model.py f16|q8_0|q4_0 FILE.

The weights are those of a fixed seed, so a kind of model is always the same.  The words are bytes
and names of numbers.
"""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import sys

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter, quants

SEED = 1
LAYERS, WIDTH, HEADS, HIDDEN, WORDS = 2, 256, 4, 512, 512
FILE_TYPES = {"f16": 1, "q4_0": 2, "q8_0": 7}
UNKNOWN, CONTROL, BYTE, NORMAL = 2, 3, 6, 1


def write_model(kind: str, path: str) -> None:
    """Write the model with matrices of the type `kind`."""
    writer = GGUFWriter(path, "llama")
    _write_shape(writer, kind)
    _write_words(writer)
    random = np.random.default_rng(SEED)

    def matrix(name: str, rows: int, columns: int) -> None:
        values = (random.standard_normal((rows, columns)) / np.sqrt(columns)).astype(np.float32)
        if kind == "f16":
            writer.add_tensor(f"{name}.weight", values.astype(np.float16))
        else:
            kept = GGMLQuantizationType[kind.upper()]
            writer.add_tensor(f"{name}.weight", quants.quantize(values, kept), raw_dtype=kept)

    def factors(name: str) -> None:
        values = (1 + random.standard_normal(WIDTH) / 10).astype(np.float32)
        writer.add_tensor(f"{name}.weight", values)

    matrix("token_embd", WORDS, WIDTH)
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        factors(f"{block}.attn_norm")
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            matrix(f"{block}.{part}", WIDTH, WIDTH)
        factors(f"{block}.ffn_norm")
        matrix(f"{block}.ffn_gate", HIDDEN, WIDTH)
        matrix(f"{block}.ffn_up", HIDDEN, WIDTH)
        matrix(f"{block}.ffn_down", WIDTH, HIDDEN)
    factors("output_norm")
    matrix("output", WORDS, WIDTH)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _write_shape(writer: GGUFWriter, kind: str) -> None:
    writer.add_name("random")
    writer.add_file_type(FILE_TYPES[kind])
    writer.add_context_length(512)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(WORDS)


def _write_words(writer: GGUFWriter) -> None:
    words = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    named = WORDS - len(words)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([*words, *(f"\u2581w{number:03}" for number in range(named))])
    writer.add_token_scores([0.0] * len(words) + [-float(number) for number in range(named)])
    writer.add_token_types([UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256, *[NORMAL] * named])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)


if __name__ == "__main__":
    write_model(*sys.argv[1:])
