"""The outside world behind the ports: databases, models, exports, the clock. One third-party package each.

May import `oida.ports`, `oida.events`, `oida.model`; takes plain arguments, never settings.
"""
