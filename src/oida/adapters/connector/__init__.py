"""Sources: a folder for each kind, each of four files, found by walking; `export.open_path` is the way in.

To add one see docs/guides/add-a-connector.md; nothing here needs an edit for it.
"""
