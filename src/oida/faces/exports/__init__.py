"""What a principal sees, in the formats of other tools: GraphML, PROV-O, Parquet, a Markdown vault. One way: see `workspace.transfer`."""
