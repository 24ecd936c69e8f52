"""Skill folders in the shapes of public repositories, written by us: path below a skills folder -> content."""

from collections.abc import Mapping
from pathlib import Path

SHAPES: Mapping[str, str] = {
    # A document skill: a license file, scripts, references in folders of their own.
    "pdf-forms/SKILL.md": """\
---
name: pdf-forms
description: Fill PDF forms, merge and split PDF files. Use when the user mentions PDFs, forms, or document extraction.
license: Proprietary. LICENSE.txt has complete terms
---

# PDF forms

Read [the field guide](references/fields/guide.md), then run `scripts/fill.py`.

---

```yaml
---
name: not-this
---
```
""",
    "pdf-forms/LICENSE.txt": "All rights reserved.\n",
    "pdf-forms/references/fields/guide.md": "# Fields\n",
    "pdf-forms/scripts/fill.py": "#!/usr/bin/env python3\nprint('filled')\n",
    "pdf-forms/examples/SKILL.md": "---\nname: an-example\ndescription: Not a skill of its own.\n---\n",
    # A group of skills in a folder.
    "testing/flaky/SKILL.md": """\
---
# Kept by the platform team
name: flaky   # not: flake

description: >-
  Finds tests that fail now and then.
  Use when CI is red without a change.

allowed-tools:
  - Read
  - Bash(pytest:*)
metadata:
  author: platform
  version: "2.1"
  updated: 2026-03-01
---
Run the suite ten times.
""",
    "testing/README.md": "# Testing skills\n",
    # Quotes, escapes, a colon that is quoted.
    "quoted/SKILL.md": '---\nname: \'quoted\'\ndescription: "Says \\"it\\": one\\u2014two"\n---\nBody.\n',
    # A list in a block scalar, with emoji.
    "release/SKILL.md": """\
---
name: release
description: |
  🚀 Ships a release:
  - tags
  - notes
compatibility: Requires git, gh, and access to the internet
---
Ship it.
""",
    # What is written for another agent's commands: two bracket groups, a model, who may call it.
    "deploy/SKILL.md": """\
---
name: deploy
description: Deploy the app. Example: `/deploy staging`
argument-hint: [environment] [--dry-run]
model: opus
disable-model-invocation: true
allowed-tools: Bash(kubectl apply:*), Bash(helm:*), Read
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: ./check.sh
---
Deploy $ARGUMENTS.
""",
    # JSON in one line of metadata, an address.
    "node-watch/SKILL.md": """\
---
name: node-watch
description: Watch nodes: start, stop, sync status, peers, logs
user-invocable: true
homepage: https://example.org/skills#node-watch
metadata: {"runner":{"requires":{"bins":["curl"]},"emoji":"🔭"}}
---
Watch.
""",
    # A title for a name, a description in Chinese, when to use it in a field of its own.
    "company-portrait/SKILL.md": """\
---
name: Company Portrait
description: 维护长期公司画像、事件时间线；当用户想建立公司档案时使用
when_to_use: 当用户明确希望长期跟踪时
aliases:
  - 公司画像
---
建立档案。
""",
    # Windows: a byte order mark and CRLF throughout.
    "windows/SKILL.md": "\ufeff---\r\nname: windows\r\ndescription: >\r\n  Written on\r\n  Windows.\r\n---\r\n\r\nStep one.\r\n",
    # No name, a version that is a number.
    "consent/SKILL.md": '---\ndescription: >\n  Drafts a consent form. Use when the user says\n  "informed consent".\nversion: 2.0\n---\nDraft it.\n',
    # Underscores, and a description longer than the standard allows.
    "floor_plan/SKILL.md": f"---\nname: floor_plan\ndescription: {'間取りを描く。' * 200}\n---\nDraw it.\n",
}


def write_shapes(root: Path) -> None:
    """Write all of them below ``root``."""
    for name, text in SHAPES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
