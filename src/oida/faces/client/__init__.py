"""The same memory from afar: `oida.connect(url, key=...)` has the verbs of a local workspace and gives the same values."""

from oida.faces.client.workspace import RemoteWorkspace, connect

__all__ = ["RemoteWorkspace", "connect"]
