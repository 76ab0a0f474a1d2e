"""The connection to a Ray cluster, for whatever is spread over one.

Used by `gravity_runner.ray` and `embedder.ray`.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from oida.model.errors import UnavailableError

PATIENCE_SECONDS = 5.0


@contextmanager
def cluster(address: str, *, cpus: int | None = None) -> Iterator[None]:
    """A connection to the cluster at `address`, or one of this machine's own for ""; ended with the block.

    Raises UnavailableError where Ray is not installed or the cluster does not answer.
    """
    try:
        import ray
    except ImportError as error:
        raise UnavailableError("expected Ray for work on a cluster; install oida[cluster]") from error
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "warning"}
    try:
        if address:
            _knock(address)
            ray.init(address=address, **quiet)
        else:
            ray.init(num_cpus=cpus, include_dashboard=False, **quiet)
    except (OSError, RuntimeError, ValueError) as error:
        raise UnavailableError(f"expected a Ray cluster at {address or 'this machine'}, found none: {error}") from error
    try:
        yield
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=PATIENCE_SECONDS).close()
