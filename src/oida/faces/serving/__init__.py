"""One base for many callers at once: connections, the engine's clock, jobs. Shared by the faces that serve others.

May import `oida.workspace` and `oida.model`. Next: `faces/rest`, `faces/mcp`.
"""
