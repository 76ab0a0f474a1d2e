from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest
from tests.apis import kinds

import oida.adapters.live as here
from oida.model.feed import SecretPlace, SecretReference

FOLDERS = sorted(module.name for module in pkgutil.iter_modules(here.__path__) if module.ispkg)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_kinds_folder_holds_its_four_files_and_no_other(name: str) -> None:
    (root,) = here.__path__
    found = {file.name for file in (Path(root) / name).iterdir() if file.is_file()}
    assert {"__init__.py", "connector.py", "client.py", "mapping.py", "README.md"} == found


@pytest.mark.parametrize("name", FOLDERS)
def test_a_mapping_touches_no_network_no_files_and_no_clock(name: str) -> None:
    module = importlib.import_module(f"{here.__name__}.{name}.mapping")
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    for forbidden in (
        "import os",
        "pathlib",
        "import time\n",
        "import random",
        "logging",
        ".now(",
        "open(",
        "httpx",
        "Transport",
        "socket",
    ):
        assert forbidden not in source, forbidden


@pytest.mark.parametrize("name", FOLDERS)
def test_a_readme_tells_where_the_secret_is_looked_for_and_which_options_there_are(name: str) -> None:
    module = importlib.import_module(f"{here.__name__}.{name}.connector")
    (root,) = here.__path__
    readme = (Path(root) / name / "README.md").read_text(encoding="utf-8")
    assert module.SECRET_VARIABLE in readme
    assert name.replace("_", "-") == module.KIND
    assert kinds().find_secret(SecretReference(SecretPlace.ENVIRONMENT, kinds().secret_variable(module.KIND)))


def test_every_folder_is_a_kind_that_can_be_connected() -> None:
    assert {name.replace("_", "-") for name in FOLDERS} <= set(kinds().kinds())
