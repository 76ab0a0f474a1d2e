"""The bill of materials names what is installed, and the audit tells what is not as it should be."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

PROJECT_ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def dependencies() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dependencies", PROJECT_ROOT / "deploy" / "dependencies.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def distribution(folder: Path, name: str, *needs: str, of: str = "1.0") -> None:
    """A distribution as pip leaves it, with one module."""
    (folder / f"{name}.py").write_bytes(b"x = 1\n")
    info = folder / f"{name}-{of}.dist-info"
    info.mkdir()
    listed = [
        f"Name: {name}",
        f"Version: {of}",
        "License-Expression: MIT",
        "Provides-Extra: more",
        *(f"Requires-Dist: {each}" for each in needs),
    ]
    (info / "METADATA").write_text("Metadata-Version: 2.4\n" + "\n".join(listed) + "\n", encoding="utf-8")
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"x = 1\n").digest()).rstrip(b"=").decode("ascii")
    (info / "RECORD").write_text(f"{name}.py,sha256={digest},6\n", encoding="utf-8")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    distribution(tmp_path, "aroot", "aleft>=1", "aright; extra == 'more'", "absent; extra == 'more'", "never; sys_platform == 'never'")
    distribution(tmp_path, "aleft", "aroot")
    distribution(tmp_path, "aright", of="2.0")
    return tmp_path


PINS = {"aleft": "1.0", "aright": "2.0"}


def advisory(**affected: object) -> dict[str, object]:
    return {"id": "A-1", "summary": "bad", "affected": [{"package": {"ecosystem": "PyPI", "name": "aRight"}, **affected}]}


def test_the_bill_names_every_package_with_what_it_needs(dependencies: ModuleType, small: Path) -> None:
    bill = dependencies.bill_of_materials(dependencies.Installed("aroot"))
    assert ("CycloneDX", "1.6") == (bill["bomFormat"], bill["specVersion"])
    assert [("aleft", "1.0"), ("aright", "2.0")] == [(part["name"], part["version"]) for part in bill["components"]]
    assert [{"expression": "MIT"}] == bill["components"][0]["licenses"]
    assert {"pkg:pypi/aleft@1.0", "pkg:pypi/aright@2.0"} == set(bill["dependencies"][2]["dependsOn"])
    assert bill == dependencies.bill_of_materials(dependencies.Installed("aroot"))


def test_a_sound_environment_has_no_findings(dependencies: ModuleType, small: Path) -> None:
    assert [] == dependencies.audit(dependencies.Installed("aroot"), PINS)


def test_what_is_not_as_it_should_be_is_told(dependencies: ModuleType, small: Path) -> None:
    (small / "aleft.py").write_bytes(b"x = 2\n")
    (small / "aright.py").unlink()
    distribution(small, "alone", "missing", "aleft>2")
    assert [
        "alone needs missing, which is not installed",
        "alone needs aleft>2, found 1.0",
        "aleft is pinned to 3.0, found 1.0",
        "aleft 1.0: aleft.py is not as its wheel declared it",
        "aroot 1.0 has no pin in constraints.txt",
    ] == dependencies.audit(dependencies.Installed("alone"), {"aleft": "3.0"})
    assert "aright 2.0: aright.py is missing" in dependencies.audit(dependencies.Installed("aroot"), PINS)


@pytest.mark.parametrize(
    ("affected", "told"),
    [
        ({"versions": ["2.0"]}, True),
        ({"versions": ["2.1"]}, False),
        ({"ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "2.0"}]}]}, False),
        (
            {
                "ranges": [
                    {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.5"}, {"introduced": "1.9"}, {"fixed": "2.0.1"}]}
                ]
            },
            True,
        ),
        ({"ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "1.0"}, {"last_affected": "2.0"}]}]}, True),
        ({"ranges": [{"type": "GIT", "events": [{"introduced": "0"}]}]}, False),
        ({"ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "no version"}]}]}, True),
    ],
)
def test_an_advisory_is_told_where_it_affects_the_version(dependencies: ModuleType, small: Path, affected: dict, told: bool) -> None:
    found = dependencies.audit(dependencies.Installed("aroot"), PINS, [advisory(**affected)])
    assert (["aright 2.0 is affected by A-1: bad"] if told else []) == found
    assert [] == dependencies.audit(dependencies.Installed("aroot"), PINS, [advisory(**affected) | {"withdrawn": "2026-01-01T00:00:00Z"}])


def test_the_bill_of_this_environment_is_written(dependencies: ModuleType, tmp_path: Path) -> None:
    assert 0 == dependencies.main(["sbom", "--out", str(tmp_path / "new" / "bill.json")])
    bill = json.loads((tmp_path / "new" / "bill.json").read_text(encoding="utf-8"))
    assert f"pkg:pypi/numpy@{version('numpy')}" in [part["purl"] for part in bill["components"]]
    assert "oida" == bill["metadata"]["component"]["name"]
