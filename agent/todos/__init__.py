"""The model's todo list beyond its tool: when the model is reminded of it, and what the user sees of it."""
