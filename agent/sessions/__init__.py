"""`agent sessions`: the sessions of a project listed, shown, exported and pruned; no transcript is ever written to."""
