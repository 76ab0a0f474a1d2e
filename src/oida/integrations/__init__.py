"""The memory inside the frameworks that agents are built with; each module needs the extra of its name.

Everything here takes a workspace, local (`oida.open`) or remote (`oida.connect`). Text of the store is quoted and cited everywhere.

May import `oida.retrieval`, `oida.model` and the workspace's results.
"""
