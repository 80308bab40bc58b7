"""The transports: REST, server-sent events and the WebSocket. They translate calls and contain no rules."""
