"""The pages for people: server-rendered, readable without scripts, each a call of one or two verbs of the workspace.

May import `oida.workspace`, `oida.model` and `faces/serving`; computes nothing but where a line stands in a drawing. Next: `routes`.
"""

from oida.faces.web.routes import OPEN_WEB_PATHS, WebOptions, web_routes

__all__ = ["OPEN_WEB_PATHS", "WebOptions", "web_routes"]
