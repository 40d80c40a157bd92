"""The columns of text in the Parquet files that a stranger sends."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq


def is_text(kind: pa.DataType) -> bool:
    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary))


def texts(content: bytes) -> Iterator[str]:
    """Gives the columns of text, also in lists and structs."""
    for field in pq.read_schema(pa.BufferReader(content)):
        inner = field.type.value_type if pa.types.is_list(field.type) else field.type
        if is_text(inner):
            yield field.name
        elif pa.types.is_struct(inner):
            yield from (f"{field.name}.{part.name}" for part in inner if is_text(part.type))


def replaced(column: pa.Array, part: str, text: str) -> pa.Array:
    """Returns an array whose values, but NULL, are another one."""
    if pa.types.is_list(column.type):
        column = pa.concat_arrays([column])
        inner = replaced(column.values, part, text)
        return pa.ListArray.from_arrays(column.offsets, inner, type=column.type, mask=column.is_null() if column.null_count else None)
    if pa.types.is_struct(column.type):
        parts = [replaced(column.field(at), "", text) if field.name == part else column.field(at) for at, field in enumerate(column.type)]
        return pa.StructArray.from_arrays(parts, fields=list(column.type))
    value = text.encode() if pa.types.is_binary(column.type) else text
    return pa.array([value if row.is_valid else None for row in column], column.type)


def with_texts(table: pa.Table, name: str, text: str) -> pa.Table:
    """Returns a table with other values in a column, or in a part of its structs."""
    column, _, part = name.partition(".")
    place = table.schema.get_field_index(column)
    array = table.column(place).combine_chunks()
    array = pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array
    return table.set_column(place, table.schema.field(place), replaced(array, part, text))


def with_column(content: bytes, name: str, text: str) -> bytes:
    """Returns a Parquet file with other values in a column."""
    sink = pa.BufferOutputStream()
    pq.write_table(with_texts(pq.read_table(pa.BufferReader(content)), name, text), sink, compression="zstd")
    return sink.getvalue().to_pybytes()
