"""MCP: the few tools that an agent needs, over stdio or streamable HTTP. Entry: `oida.faces.mcp.server.create_server`."""
