"""Skills at work: asked for by the user by name, and back in the view after a summary."""
