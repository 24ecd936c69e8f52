"""The program: loop, model client, session log, terminal."""
