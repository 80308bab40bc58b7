"""What the outside speaks: REST, server-sent events, the WebSocket. They translate, and hold no rule."""
