"""What a question asks for, read without any model: names, time, intent, class, ids.

Start at `understand`; next in the flow: `oida.retrieval.ranking.candidates`.
"""
