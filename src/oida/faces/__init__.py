"""Where people and agents come in; each face parses, calls one verb and renders, and computes nothing itself.

May import `oida.bootstrap`, `oida.settings`, the workspace's results and `oida.model`.
"""
