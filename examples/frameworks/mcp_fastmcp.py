"""An MCP server made with FastMCP, with a tool that a person approves; any client of MCP starts it."""

from typing import Any

from fastmcp import Context, FastMCP

from askback import requires_approval

mcp = FastMCP("releases")


def session_of(ctx: Context, **_: Any) -> str:
    """Return the thread to ask in: one for each session of a client."""
    return ctx.session_id


@mcp.tool
@requires_approval(allow_edit=True, exclude=["ctx"], thread_id=session_of)
async def deploy(to: str, ctx: Context) -> str:
    """Deploy the new version."""
    await ctx.info(f"Deploying to {to}.")
    return f"Deployed to {to}."


if __name__ == "__main__":
    mcp.run()
