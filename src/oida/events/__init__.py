"""What can happen, the chain that makes it tamper-evident, and the fold from events to state.

May import `oida.model`. Next in the flow: `oida.gravity`, which weighs the state, and `oida.retrieval`, which ranks it.
"""
