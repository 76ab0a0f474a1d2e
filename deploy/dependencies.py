"""What OIDA is made of beside its own code, from the installed environment and without any network.

    python deploy/dependencies.py sbom [--out FILE]              a bill of materials, CycloneDX 1.6 as JSON
    python deploy/dependencies.py audit [--advisories FOLDER]    exit code 1 when something is not as it should be

The audit compares versions with constraints.txt, requirements with what is installed, and every installed file with the digest that its
wheel declared. Without advisories it cannot know whether a version is vulnerable or was withdrawn: that is knowledge of today, and stands
nowhere in an installation. FOLDER holds records of the OSV format, for instance the unpacked archive of the ecosystem PyPI from osv.dev.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

ROOT = "oida"
CONSTRAINTS = Path(__file__).resolve().parents[1] / "constraints.txt"
NAMESPACE = uuid.UUID("6f696461-0000-5000-8000-000000000000")


class Installed:
    """The distributions that a root needs and that are here, by canonical name; `needs` are the edges between them."""

    def __init__(self, root: str = ROOT) -> None:
        self.found: dict[str, Distribution] = {}
        self.needs: dict[str, set[str]] = {}
        self.unmet: list[str] = []
        self.root = canonicalize_name(root)
        extras = distribution(root).metadata.get_all("Provides-Extra") or []
        self._follow(frozenset({"", *extras}))

    def _follow(self, extras: frozenset[str]) -> None:
        """Breadth does not matter; what only an extra of the root asks for may be absent."""
        waiting, seen = [(self.root, extras)], set[tuple[str, frozenset[str]]]()
        while waiting:
            name, wanted = waiting.pop()
            if (name, wanted) in seen:
                continue
            seen.add((name, wanted))
            here = self.found.setdefault(name, distribution(name))
            edges = self.needs.setdefault(name, set())
            for text in here.requires or ():
                need = Requirement(text)
                asking = [extra for extra in sorted(wanted) if need.marker is None or need.marker.evaluate({"extra": extra})]
                if not asking:
                    continue
                target = canonicalize_name(need.name)
                try:
                    version = distribution(target).version
                except PackageNotFoundError:
                    if "" in asking or name != self.root:
                        self.unmet.append(f"{name} needs {need}, which is not installed")
                    continue
                if not need.specifier.contains(version, prereleases=True):
                    self.unmet.append(f"{name} needs {need}, found {version}")
                edges.add(target)
                waiting.append((target, frozenset({"", *need.extras})))


def bill_of_materials(installed: Installed) -> dict[str, Any]:
    """CycloneDX 1.6: every distribution with its licence and what it needs; the same environment gives the same bytes."""
    parts = [_component(name, installed.found[name]) for name in sorted(installed.found)]
    made = {
        "metadata": {"component": next(part for part in parts if part["name"] == installed.root) | {"type": "application"}},
        "components": [part for part in parts if part["name"] != installed.root],
        "dependencies": [
            {
                "ref": _purl(name, installed.found[name]),
                "dependsOn": sorted(_purl(each, installed.found[each]) for each in installed.needs[name]),
            }
            for name in sorted(installed.found)
        ],
    }
    number = uuid.uuid5(NAMESPACE, json.dumps(made, sort_keys=True))
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{number}", "version": 1} | made


def audit(installed: Installed, pins: Mapping[str, str], advisories: Iterable[Mapping[str, Any]] = ()) -> list[str]:
    """What is not as it should be, one line each."""
    told = list(installed.unmet)
    known = list(advisories)
    for name, found in sorted(installed.found.items()):
        if name == installed.root:
            continue
        if name not in pins:
            told.append(f"{name} {found.version} has no pin in constraints.txt")
        elif pins[name] != found.version:
            told.append(f"{name} is pinned to {pins[name]}, found {found.version}")
        told.extend(f"{name} {found.version}: {each}" for each in _changed_files(found))
        told.extend(f"{name} {found.version} is affected by {each}" for each in _affecting(name, found.version, known))
    return told


def pins_of(text: str) -> dict[str, str]:
    """The versions of a constraints file for this machine, by canonical name."""
    found = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            pin = Requirement(line)
            if pin.marker is None or pin.marker.evaluate():
                found[canonicalize_name(pin.name)] = next(iter(pin.specifier)).version
    return found


def read_advisories(folder: Path) -> Iterator[Mapping[str, Any]]:
    """Records of the OSV format, one a file."""
    for path in sorted(folder.rglob("*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))


def _component(name: str, found: Distribution) -> dict[str, Any]:
    licence = found.metadata.get("License-Expression") or found.metadata.get("License") or ""
    classified = [line.rpartition(" :: ")[2] for line in found.metadata.get_all("Classifier") or () if line.startswith("License :: ")]
    # A whole licence text in this field is no name of one.
    shown = licence.strip() if licence and "\n" not in licence.strip() else ", ".join(classified)
    part: dict[str, Any] = {
        "type": "library",
        "bom-ref": _purl(name, found),
        "name": name,
        "version": found.version,
        "purl": _purl(name, found),
    }
    if found.metadata.get("License-Expression"):
        part["licenses"] = [{"expression": shown}]
    elif shown:
        part["licenses"] = [{"license": {"name": shown}}]
    return part


def _purl(name: str, found: Distribution) -> str:
    return f"pkg:pypi/{name}@{found.version}"


def _changed_files(found: Distribution) -> Iterator[str]:
    for file in found.files or ():
        if file.hash is None or file.hash.mode != "sha256":
            continue
        try:
            digest = hashlib.sha256(Path(str(found.locate_file(file))).read_bytes()).digest()
        except OSError:
            yield f"{file} is missing"
            continue
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii") != file.hash.value:
            yield f"{file} is not as its wheel declared it"


def _affecting(name: str, version: str, advisories: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for record in advisories:
        if record.get("withdrawn"):
            continue
        for affected in record.get("affected", ()):
            package = affected.get("package", {})
            if package.get("ecosystem") == "PyPI" and canonicalize_name(package.get("name", "")) == name and _holds(affected, version):
                yield f"{record['id']}: {str(record.get('summary', '')).splitlines()[0] if record.get('summary') else 'no summary'}"
                break


def _holds(affected: Mapping[str, Any], version: str) -> bool:
    """Whether a version is listed or lies in a range; of a version that cannot be compared it is said, to be safe."""
    if version in affected.get("versions", ()):
        return True
    try:
        here = Version(version)
        for each in affected.get("ranges", ()):
            if each.get("type") != "ECOSYSTEM":
                continue
            inside = False
            for event in each.get("events", ()):
                if "introduced" in event:
                    inside = inside or event["introduced"] == "0" or here >= Version(event["introduced"])
                elif "fixed" in event:
                    inside = inside and here < Version(event["fixed"])
                elif "last_affected" in event:
                    inside = inside and here <= Version(event["last_affected"])
            if inside:
                return True
    except InvalidVersion:
        return True
    return False


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line says; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("sbom").add_argument("--out", type=Path)
    commands.add_parser("audit").add_argument("--advisories", type=Path)
    given = parser.parse_args(arguments)
    installed = Installed()
    if given.command == "sbom":
        text = json.dumps(bill_of_materials(installed), indent=2, sort_keys=True) + "\n"
        if given.out is None:
            sys.stdout.write(text)
        else:
            given.out.parent.mkdir(parents=True, exist_ok=True)
            given.out.write_text(text, encoding="utf-8")
            sys.stdout.write(f"wrote {given.out}: {len(installed.found) - 1} packages\n")
        return 0
    advisories = list(read_advisories(given.advisories)) if given.advisories else []
    told = audit(installed, pins_of(CONSTRAINTS.read_text(encoding="utf-8")), advisories)
    for line in told:
        sys.stdout.write(f"{line}\n")
    against = f"{len(advisories):,} advisories" if given.advisories else "no advisories: whether a version is vulnerable is not known here"
    sys.stdout.write(f"{len(installed.found) - 1} packages, {len(told)} findings; {against}\n")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
