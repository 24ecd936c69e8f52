"""Texts of many kinds, always the same ones, for checks of the token count."""

import base64
import random
import string

PYTHON = '''def read_ranks() -> bytes:
    """Return the ranks file.

    Raises:    ImportError, OSError: it is not installed; ValueError: it is not the published file.
    """
    data = (resources.files("package") / "data" / "cl100k_base.tiktoken").read_bytes()
    if hashlib.sha256(data).hexdigest() != RANKS_SHA256:
        raise ValueError("the file is damaged: reinstall it")
    return data
'''
MARKDOWN = """# Compaction

- **Valid**: each `tool_use` has exactly one `tool_result`, in the next user message, results first.
- **Nothing is lost**: everything a layer takes out of the view is on disk before the view changes.

| model | window | price |
|---|---|---|
| one | 200,000 | $3.00 |
"""
LISTING = """-rw-r--r--  1 root root   1382 Nov 29 22:41 surrogates.py
-rw-r--r--  1 root root  10382 Nov 29 22:51 models.py
drwxr-xr-x 12 root root   4096 Nov 30 00:02 offline
"""
DIFF = """diff --git a/agent/api/sse.py b/agent/api/sse.py
index 0387ac2..9f1b2c3 100644
--- a/agent/api/sse.py
+++ b/agent/api/sse.py
@@ -1,10 +1,12 @@
-import json
+import json5
"""


def samples() -> dict[str, str]:
    """Name and text of each sample."""
    dice = random.Random(7)
    letters = string.ascii_lowercase
    emoji = [chr(code) for code in (*range(0x1F600, 0x1F64F), *range(0x1F680, 0x1F6C5))]
    return {
        "python": PYTHON * 3,
        "markdown": MARKDOWN * 3,
        "listing": LISTING * 5,
        "diff": DIFF * 5,
        "german": "Ein Programmieragent, dessen Kontext nie voll wird. Größe, Übermaß, Äpfel. " * 8,
        "base64": base64.b64encode(dice.randbytes(6000)).decode(),
        "hex": dice.randbytes(3000).hex(),
        "letters": "".join(dice.choice(letters) for _ in range(2000)),
        "numbers": "\n".join(f"{dice.random():.4f},{dice.random():.4f}" for _ in range(200)),
        "chinese": "终端里的编程助手，它的上下文永远不会填满，也永远不会忘记。压缩只改变视图。" * 8,
        "chinese random": "".join(chr(dice.randint(0x4E00, 0x9FA5)) for _ in range(800)),
        "japanese": "ターミナルのエージェントは、コンテキストが決していっぱいにならない。" * 8,
        "korean": "터미널 코딩 에이전트는 컨텍스트가 가득 차지 않으며 결코 잊지 않습니다. " * 8,
        "russian": "Терминальный агент, контекст которого никогда не заполняется. " * 8,
        "emoji": "".join(dice.choice(emoji) for _ in range(500)),
        "emoji joined": "👨‍👩‍👧‍👦🏳️‍🌈👩🏽‍💻" * 60,
        "boxes": "│ ├── ─── └── ═══ ║ ▓▒░ █████\n" * 30,
        "rules": "=" * 4000,
        "blanks": " " * 4000,
    }
