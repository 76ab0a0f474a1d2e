"""From items to statements and where they stand, and how objects relate: pure text work.

Answers what a source says, one claim at a time; imports `model` (and NumPy for vectors) only. Names are imported from the modules
themselves, because a question needs only its anchors from here and starts from cold. Next in the flow: `oida.gravity`.
"""
