"""How good an answer is and how sure one may be of it: the Epistemic Quality Score and the paper's statistics (spec section 7).

May import `oida.model`, numpy and scipy. Nothing follows it in the flow: it judges what `oida.retrieval` gave.
"""
