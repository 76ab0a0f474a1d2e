"""The verbs: the only code that both thinks and acts, each a list of steps over the ports.

May import everything below it except adapters. Next in the flow: `oida.faces`, where people and agents come in.
"""
