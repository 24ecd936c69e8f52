"""What a call may do: rules, modes, what only reads, what is protected."""
