"""The MCP server: tools with which any MCP client asks a person, on stdio and on streamable HTTP.

    arguments.py    what each tool takes, beside what `adapters/arguments.py` has for every framework
    tools.py        what each tool does
    asking.py       create a request, show it in the client, wait for its end
    dialogs.py      what a client is asked to show: a form, or the address of a page
    outcomes.py     what a tool returns
    view.py         the card in hosts of MCP Apps
    server.py       the protocol, over the `mcp` package
    stdio.py        `askback mcp`
    http.py         `/mcp` of a server

It reaches the server only by the client, with the token of its caller.
"""
