"""`agent skills`: what is said of skills, for a person and for a program."""
