"""MCP server of Lanescope."""
