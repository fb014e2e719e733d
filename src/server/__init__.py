"""Serving caches and scopes to agents over MCP: operations, tools, transport, client configuration."""
