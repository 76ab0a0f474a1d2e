"""The cues by which objects relate: fields, replies, links and words of their sources.

`oida.ingestion.relate` puts them together. Each module here gives the edges of one kind of cue.
"""
