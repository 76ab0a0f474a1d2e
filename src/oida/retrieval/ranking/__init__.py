"""In which order objects answer a question: similarities, attention, and the named rankings made of them.

Start at `rank`; next in the flow: `oida.retrieval.context`.
"""
