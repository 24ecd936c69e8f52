"""A PreToolUse hook for Bash, as the other agent documents them: refuses to remove folders, by exit code 2."""

import json
import re
import sys

call = json.load(sys.stdin)
if call["tool_name"] == "Bash" and re.search(r"\brm\s+-\w*r", call["tool_input"]["command"]):
    print("folders are not removed here: move them to attic/ instead", file=sys.stderr)
    sys.exit(2)
