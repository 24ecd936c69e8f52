"""What the model may do: one tool a file."""
