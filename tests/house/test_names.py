"""Public names, rooms and words are what the house says they are."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import sys
from pathlib import Path

import pytest

import oida
from oida.faces.cli.call import EXIT_CODES, exit_code
from oida.model import errors
from oida.model.errors import OidaError

PROJECT_ROOT = Path(__file__).resolve().parents[2]
SOURCE = PROJECT_ROOT / "src" / "oida"
ROOMS = sorted(path.parent for path in SOURCE.rglob("__init__.py"))
WORDS_NOT_USED = {
    "utils",
    "util",
    "common",
    "helpers",
    "helper",
    "misc",
    "core",
    "manager",
    "handler",
    "processor",
    "service",
    "data",
    "info",
}


def kinds_of(error: type[OidaError]) -> list[type[OidaError]]:
    below = [each for child in error.__subclasses__() for each in kinds_of(child)]
    return [error, *below]


def _raise_if_ours(error: ModuleNotFoundError) -> None:
    if (error.name or "oida").startswith("oida"):
        raise error


def _unless_an_extra_is_missing(_package: str) -> None:
    error = sys.exc_info()[1]
    if isinstance(error, ModuleNotFoundError):
        _raise_if_ours(error)


def every_error() -> list[type[OidaError]]:
    """Every error of every module; one whose extra is not installed defines none that the rest could meet."""
    for module in pkgutil.walk_packages([str(SOURCE)], "oida.", onerror=_unless_an_extra_is_missing):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            _raise_if_ours(error)
    return [kind for kind in kinds_of(OidaError) if kind is not OidaError and kind.__module__.startswith("oida.")]


def test_every_public_name_is_there_and_described() -> None:
    for name in oida.__all__:
        found = getattr(oida, name)
        assert inspect.getdoc(found), name


def test_public_names_are_sorted_and_no_other_name_is_offered() -> None:
    assert sorted(oida.__all__) == list(oida.__all__)
    with pytest.raises(AttributeError, match="no attribute 'helpers'"):
        _ = oida.helpers


def test_the_package_says_that_it_is_typed() -> None:
    assert (SOURCE / "py.typed").is_file()


@pytest.mark.parametrize("error", every_error(), ids=lambda error: error.__name__)
def test_every_error_has_an_exit_code_and_advice(error: type[OidaError]) -> None:
    assert exit_code(error.__new__(error)) in EXIT_CODES.values()
    assert inspect.getdoc(error)
    assert error.code


def test_every_code_of_an_error_is_its_own() -> None:
    codes = [error.__dict__["code"] for error in every_error() if "code" in error.__dict__]
    assert len(set(codes)) == len(codes)


def test_exit_codes_are_those_of_the_five_kinds() -> None:
    assert {kind.__name__ for kind in OidaError.__subclasses__() if kind.__module__.startswith("oida.")} == set(EXIT_CODES)
    assert [2, 3, 4, 5, 6] == sorted(EXIT_CODES.values())
    assert errors.OidaError.code == "error"


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(SOURCE.parent)))
def test_every_room_says_what_it_answers(room: Path) -> None:
    described = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))
    assert described
    assert len(described) > 20


@pytest.mark.parametrize("room", sorted(SOURCE.glob("*/__init__.py")), ids=lambda path: path.parent.name)
def test_every_room_on_the_plan_says_what_it_may_import(room: Path) -> None:
    described = (ast.get_docstring(ast.parse(room.read_text(encoding="utf-8"))) or "").casefold()
    assert any(word in described for word in ("import", "may import", "computes nothing"))


def test_words_that_say_nothing_name_no_module() -> None:
    assert [] == [str(path) for path in SOURCE.rglob("*.py") if path.stem in WORDS_NOT_USED]
