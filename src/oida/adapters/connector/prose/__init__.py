"""Text to blocks with exact spans, dates, speakers and references: what connectors share; it is no source of its own.

Every module is pure: text in, blocks out.
"""
