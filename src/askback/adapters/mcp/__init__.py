"""The MCP server: tools with which any MCP client asks a person, on stdio and on streamable HTTP.

    arguments.py    arguments of tools that only MCP has; the others are in `adapters/arguments.py`
    tools.py        the tools
    asking.py       create a request, show it in the client, wait for its end
    prompts.py      answer the permission prompts of Claude Code
    dialogs.py      the dialogs of a client: a form, or the address of a page
    outcomes.py     results of tools
    view.py         the card in hosts of MCP Apps
    server.py       the protocol, over the `mcp` package
    stdio.py        `askback mcp`
    stdin_filter.py replies to requests on standard input that the package cannot read
    http.py         `/mcp` of a server

It reaches the server only by the client, with the token of its caller.
"""
