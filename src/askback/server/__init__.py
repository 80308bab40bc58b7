"""The server as a process: the composition root, its settings, and uvicorn's protocols with limits."""
