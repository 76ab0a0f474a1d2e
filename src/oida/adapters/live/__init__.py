"""Sources that are read over the network and followed: a folder of four files for each kind, as for exports.

It may import ports, events, model and the mappings of the export connectors, so that an export and its API feed one source.
"""
