"""all-MiniLM-L6-v2 written as an ONNX graph with the `onnx` package alone, in float32 or with eight-bit weights.

The eight-bit form quantises activations per token instead of per tensor: a text's vector then cannot depend on what else is
in its batch, because integer sums are exact and each scale is read from one row only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnx.utils
from onnx import TensorProto, helper, numpy_helper

Weights = Mapping[str, npt.NDArray[np.float32]]

LAYERS = 6
HEADS = 12
HIDDEN = 384
HEAD_SIZE = HIDDEN // HEADS
EPSILON = 1e-12
LONGEST = 256
MICROSOFT = "com.microsoft"

LARGEST_WEIGHT = 63
"""Seven bits: pairs of products then fit the 16-bit accumulator of processors without VNNI, so that every machine sums exactly."""
LARGEST_ACTIVATION = 127.0
MIDDLE = np.array(128, np.uint8)


@dataclass
class GraphBuilder:
    """Nodes and initializers collected on the way; each method adds an operation and returns the name of its output."""

    eight_bit: bool
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    initializers: dict[str, onnx.TensorProto] = field(default_factory=dict)

    def constant(self, name: str, values: npt.NDArray[np.generic]) -> str:
        """A named initializer."""
        self.initializers[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
        return name

    def call(self, operator: str, inputs: list[str], output: str, *, domain: str = "", **attributes: Any) -> str:
        """One node with one output that matters."""
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def embed(self, name: str, table: npt.NDArray[np.float32], indices: str) -> str:
        """Rows of a table; eight-bit rows carry a scale each."""
        if not self.eight_bit:
            return self.call("Gather", [self.constant(name, table), indices], f"{name}.rows")
        scale = np.abs(table).max(axis=1, keepdims=True) / LARGEST_ACTIVATION
        codes = np.rint(table / np.where(scale == 0.0, 1.0, scale)).astype(np.int8)
        rows = self.call("Gather", [self.constant(f"{name}.codes", codes), indices], f"{name}.code_rows")
        scales = self.call("Gather", [self.constant(f"{name}.scale", scale.astype(np.float32)), indices], f"{name}.scale_rows")
        floats = self.call("Cast", [rows], f"{name}.float_rows", to=TensorProto.FLOAT)
        return self.call("Mul", [floats, scales], f"{name}.rows")

    def quantise_rows(self, rows: str) -> tuple[str, str]:
        """Eight-bit codes of each token around 128 and its scale: (codes, scale of shape (tokens, 1))."""
        size = self.call("Abs", [rows], f"{rows}.abs")
        largest = self.call("ReduceMax", [size, "last_axis"], f"{rows}.largest", keepdims=1)
        scale = self.call("Mul", [largest, "per_step"], f"{rows}.scale")
        flat = self.call("Reshape", [scale, "flat"], f"{rows}.flat_scale")
        return self.call("QuantizeLinear", [rows, flat, "middles"], f"{rows}.codes", axis=0), scale

    def project(self, quantised: tuple[str, str] | None, rows: str, name: str, weight: npt.NDArray[np.float32]) -> str:
        """rows @ weight, without bias; weight has shape (inputs, outputs)."""
        if not self.eight_bit or quantised is None:
            return self.call("MatMul", [rows, self.constant(name, weight)], f"{name}.product")
        codes, row_scale = quantised
        scale = np.abs(weight).max(axis=0) / LARGEST_WEIGHT
        weight_codes = np.rint(weight / scale).astype(np.int8)
        product = self.call(
            "MatMulIntegerToFloat",
            [
                codes,
                self.constant(f"{name}.codes", weight_codes),
                "one",
                self.constant(f"{name}.scale", scale.astype(np.float32)),
                "middle",
            ],
            f"{name}.unscaled",
            domain=MICROSOFT,
        )
        return self.call("Mul", [product, row_scale], f"{name}.product")


def build_graph(weights: Weights, *, eight_bit: bool) -> onnx.ModelProto:
    """input_ids and attention_mask (batch, length) to last_hidden_state (batch, length, 384)."""
    g = GraphBuilder(eight_bit)
    _shared_constants(g)
    rows = _embeddings(g, weights)
    for layer in range(LAYERS):
        rows = _layer(g, weights, layer, rows)
    g.call("Reshape", [rows, "hidden_shape"], "last_hidden_state")
    sequence = ["batch", "length"]
    graph = helper.make_graph(
        g.nodes,
        "all-MiniLM-L6-v2",
        [helper.make_tensor_value_info(n, TensorProto.INT64, sequence) for n in ("input_ids", "attention_mask")],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*sequence, HIDDEN])],
        list(g.initializers.values()),
    )
    imports = [helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(graph, opset_imports=imports, producer_name="oida", ir_version=10)
    onnx.checker.check_model(model)
    return model


def split_graph(model: onnx.ModelProto, tensor: str) -> tuple[onnx.ModelProto, onnx.ModelProto]:
    """The graph up to an inner tensor of shape (tokens, 384), and from there on; together they give the whole's bits."""
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    whole.graph.value_info.append(helper.make_tensor_value_info(tensor, TensorProto.FLOAT, ["tokens", HIDDEN]))
    extractor = onnx.utils.Extractor(whole)
    inputs = ["input_ids", "attention_mask"]
    return extractor.extract_model(inputs, [tensor]), extractor.extract_model([*inputs, tensor], ["last_hidden_state"])


def _shared_constants(g: GraphBuilder) -> None:
    g.constant("token_rows", np.array([-1, HIDDEN], np.int64))
    g.constant("one", np.array(1.0, np.float32))
    shape = g.call("Shape", ["input_ids"], "shape")
    if g.eight_bit:
        g.constant("last_axis", np.array([-1], np.int64))
        g.constant("flat", np.array([-1], np.int64))
        g.constant("per_step", np.array(1.0 / LARGEST_ACTIVATION, np.float32))
        g.constant("middle", MIDDLE)
        tokens = g.call("ReduceProd", [shape], "tokens", keepdims=1)
        g.call("ConstantOfShape", [tokens], "middles", value=numpy_helper.from_array(MIDDLE.reshape(1)))
    tail = g.constant("hidden_tail", np.array([HIDDEN], np.int64))
    g.call("Concat", [shape, tail], "hidden_shape", axis=0)
    heads = g.constant("heads_tail", np.array([HEADS, HEAD_SIZE], np.int64))
    g.call("Concat", [shape, heads], "heads_shape", axis=0)
    ignored = g.call("Cast", ["attention_mask"], "mask.float", to=TensorProto.FLOAT)
    absent = g.call("Sub", ["one", ignored], "mask.absent")
    far = g.call("Mul", [absent, g.constant("minus_infinity", np.array(-1e9, np.float32))], "mask.flat")
    g.call("Unsqueeze", [far, g.constant("mask_axes", np.array([1, 2], np.int64))], "mask.bias")


def _embeddings(g: GraphBuilder, weights: Weights) -> str:
    words = g.embed("word_embeddings", weights["embeddings.word_embeddings.weight"], "input_ids")
    place_table = weights["embeddings.position_embeddings.weight"][:LONGEST] + weights["embeddings.token_type_embeddings.weight"][0]
    length = g.call("Shape", ["input_ids"], "length.count", start=1, end=2)
    table = g.constant("position_embeddings", place_table)
    places = g.call("Slice", [table, g.constant("start", np.array([0], np.int64)), length], "position_rows")
    total = g.call("Add", [words, places], "embeddings.sum")
    flat = g.call("Reshape", [total, "token_rows"], "embeddings.rows")
    return g.call("LayerNormalization", [flat, *_norm(g, weights, "embeddings")], "embeddings.out", epsilon=EPSILON)


def _norm(g: GraphBuilder, weights: Weights, prefix: str) -> list[str]:
    return [
        g.constant(f"{prefix}.gamma", weights[f"{prefix}.LayerNorm.weight"]),
        g.constant(f"{prefix}.beta", weights[f"{prefix}.LayerNorm.bias"]),
    ]


def _layer(g: GraphBuilder, weights: Weights, layer: int, rows: str) -> str:
    p = f"encoder.layer.{layer}"
    attended = _attention(g, weights, p, rows)
    rows = _add_and_norm(g, weights, f"{p}.attention.output", attended, rows)
    inner = g.project(g.quantise_rows(rows) if g.eight_bit else None, rows, f"{p}.ffn", weights[f"{p}.intermediate.dense.weight"].T)
    bias = g.constant(f"{p}.ffn.bias", weights[f"{p}.intermediate.dense.bias"])
    active = g.call("BiasGelu", [inner, bias], f"{p}.ffn.active", domain=MICROSOFT)
    return _add_and_norm(g, weights, f"{p}.output", active, rows)


def _add_and_norm(g: GraphBuilder, weights: Weights, prefix: str, rows: str, residual: str) -> str:
    product = g.project(g.quantise_rows(rows) if g.eight_bit else None, rows, prefix, weights[f"{prefix}.dense.weight"].T)
    return g.call(
        "SkipLayerNormalization",
        [product, residual, *_norm(g, weights, prefix), g.constant(f"{prefix}.bias", weights[f"{prefix}.dense.bias"])],
        f"{prefix}.out",
        domain=MICROSOFT,
        epsilon=EPSILON,
    )


def _attention(g: GraphBuilder, weights: Weights, p: str, rows: str) -> str:
    """softmax(Q K^T / sqrt(32) + mask) V for twelve heads; the scale is folded into Q."""
    parts = ("query", "key", "value")
    fold = {"query": HEAD_SIZE**-0.5, "key": 1.0, "value": 1.0}
    weight = np.concatenate([weights[f"{p}.attention.self.{n}.weight"].T * fold[n] for n in parts], axis=1)
    bias = np.concatenate([weights[f"{p}.attention.self.{n}.bias"] * fold[n] for n in parts])
    joint = g.project(g.quantise_rows(rows) if g.eight_bit else None, rows, f"{p}.qkv", weight.astype(np.float32))
    joint = g.call("Add", [joint, g.constant(f"{p}.qkv.bias", bias.astype(np.float32))], f"{p}.qkv.biased")
    names = [f"{p}.{name}.flat" for name in parts]
    g.nodes.append(helper.make_node("Split", [joint], names, name=f"{p}.split", axis=1, num_outputs=len(names)))
    query, key, value = (_heads(g, flat, key=flat.endswith("key.flat")) for flat in names)
    scores = g.call("MatMul", [query, key], f"{p}.scores")
    masked = g.call("Add", [scores, "mask.bias"], f"{p}.masked")
    shares = g.call("Softmax", [masked], f"{p}.shares", axis=-1)
    mixed = g.call("MatMul", [shares, value], f"{p}.mixed")
    together = g.call("Transpose", [mixed], f"{p}.together", perm=[0, 2, 1, 3])
    return g.call("Reshape", [together, "token_rows"], f"{p}.attended")


def _heads(g: GraphBuilder, flat: str, *, key: bool) -> str:
    """(batch, heads, length, 32); the key already transposed to (batch, heads, 32, length)."""
    split = g.call("Reshape", [flat, "heads_shape"], f"{flat}.split")
    return g.call("Transpose", [split], f"{flat}.heads", perm=[0, 2, 3, 1] if key else [0, 2, 1, 3])
