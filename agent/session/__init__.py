"""One session: its log, its replay, how it is found and resumed."""
