# Registers tables of crawlprefs in a catalog of Apache Iceberg, partitioned by crawl. No file is copied, changed or removed.
# It needs pyiceberg (pip install 'pyiceberg[pyarrow]') and takes the catalog `default` of .pyiceberg.yaml, or of the environment:
#   PYICEBERG_CATALOG__DEFAULT__URI=sqlite:////home/me/catalog.db PYICEBERG_CATALOG__DEFAULT__WAREHOUSE=file:///home/me/iceberg
# Run it again after each `resolve` or `forget`: in one commit a table gets the files that are there now.
import os
import re

import pyarrow
import pyarrow.fs
import pyarrow.parquet
from pyiceberg.catalog import load_catalog
from pyiceberg.io.pyarrow import parquet_file_to_data_file

OUT = "."
TABLES = {}
NAMESPACE = "crawlprefs"


def files(folder):
    """Yields the path, the schema and the crawl of each file of a table that has rows."""
    place = f"{OUT}/{folder}" if "://" in OUT else os.path.abspath(f"{OUT}/{folder}")
    system, path = pyarrow.fs.FileSystem.from_uri(place)
    before = place[: len(place) - len(path)]
    for info in system.get_file_info(pyarrow.fs.FileSelector(path, recursive=True, allow_not_found=True)):
        crawl = re.search(r"/crawl=([^/]+)/[^/.][^/]*\.parquet$", info.path)
        if crawl:
            with system.open_input_file(info.path) as file:
                metadata = pyarrow.parquet.read_metadata(file)
            if metadata.num_rows:
                yield before + info.path, metadata.schema.to_arrow_schema().remove_metadata(), crawl[1]


def make_table(catalog, name, schema):
    """Returns a table of the catalog that has all columns of a schema, and `crawl`, by which it is partitioned."""
    schema = schema.append(pyarrow.field("crawl", pyarrow.string()))
    table = catalog.create_table_if_not_exists(name, schema=schema)
    with table.update_schema() as columns:
        columns.union_by_name(schema)
    if not table.spec().fields:
        with table.update_spec() as partitions:
            partitions.add_identity("crawl")
    return table


def replace_files(table, found):
    """Makes a table have these files and no others. Files have no ids of Iceberg: their columns are found by name."""
    with table.transaction() as change:
        names = table.schema().name_mapping.model_dump_json()
        change.set_properties({"schema.name-mapping.default": names})
        with change.update_snapshot().overwrite() as snapshot:
            for task in table.scan().plan_files():
                snapshot.delete_data_file(task.file)
            for path, _, crawl in found:
                file = parquet_file_to_data_file(table.io, change.table_metadata, path)
                file.partition[0] = crawl
                snapshot.append_data_file(file)


catalog = load_catalog()
catalog.create_namespace_if_not_exists(NAMESPACE)
for name, folder in TABLES.items():
    name, found = f"{NAMESPACE}.{name}", list(files(folder))
    if found:
        schema = pyarrow.unify_schemas([schema for _, schema, _ in found])
        replace_files(make_table(catalog, name, schema), found)
    elif catalog.table_exists(name):
        replace_files(catalog.load_table(name), found)
    print(f"{name}: {len(found)} files")
