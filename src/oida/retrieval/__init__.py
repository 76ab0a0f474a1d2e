"""What answers a question, in which order, and what an agent is given of it; pure, imports `oida.model` and numpy.

Reads as `understand` -> `rank` -> `assemble` -> `render`; the workspace brings candidates from the indexes and records what was served.
"""
