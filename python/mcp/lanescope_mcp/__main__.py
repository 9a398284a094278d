from lanescope_mcp.server import main

main()
