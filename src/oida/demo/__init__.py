"""The demo company: Halden Freight, an invented carrier, as its exports would look in the first week of June 2026.

Data that ships with the package (Slack, Notion, a calendar, documents); imports nothing of OIDA. `oida demo` reads it.
"""

from __future__ import annotations

from pathlib import Path

HALDEN_EXPORTS = Path(__file__).resolve().parent / "halden"
"""The folder with the exports, readable by `oida ingest`."""
