#!/bin/bash
# A SessionStart hook, as the other agent documents them: plain stdout is context.
source=$(sed -n 's/.*"source": *"\([a-z]*\)".*/\1/p')
echo "The deployment target is staging (session: $source)."
