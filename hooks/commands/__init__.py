"""Commands of the settings that are run at events, in the schema of Claude Code."""
