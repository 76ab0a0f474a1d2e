from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest

import oida.adapters.connector as here
from oida.adapters.connector.registry import SHARED, source_formats

FOLDERS = sorted(module.name for module in pkgutil.iter_modules(here.__path__) if module.ispkg and module.name != SHARED)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_connectors_folder_holds_its_four_files_and_no_other(name: str) -> None:
    (root,) = here.__path__
    found = {file.name for file in (Path(root) / name).iterdir() if file.is_file()}
    assert {"__init__.py", "connector.py", "client.py", "mapping.py", "README.md"} == found


@pytest.mark.parametrize("name", FOLDERS)
def test_a_mapping_touches_no_files_and_no_clock(name: str) -> None:
    module = importlib.import_module(f"{here.__name__}.{name}.mapping")
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    for forbidden in ("import os", "import io", "pathlib", "import time\n", "import random", "logging", ".now(", "open("):
        assert forbidden not in source, forbidden


def test_every_folder_is_a_known_format_under_its_own_precedence() -> None:
    formats = source_formats()
    assert len(FOLDERS) <= len(formats)
    assert len(formats) == len({source.PRECEDENCE for source in formats})
