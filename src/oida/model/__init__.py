"""The nouns: what a Knowledge Object, an edge, an item, a query is. Imports the standard library only.

Next in the flow: `oida.events`, the vocabulary of what can happen to them.
"""
