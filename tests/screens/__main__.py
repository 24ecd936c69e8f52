"""Takes the pictures of the README anew: `python -m tests.screens` writes `tests/screens/*.svg`.

The real program plays a session against the offline server in a pseudo-terminal of 100 columns and 30 rows; what a
terminal emulator shows of it is drawn. Nothing is drawn by hand. Times and ages are those of the moment.
"""

import sys
import tempfile
from pathlib import Path

from tests.screens.scenes import played

FOLDER = Path(__file__).parent


def main() -> int:
    """Write them."""
    with tempfile.TemporaryDirectory() as folder:
        for name, picture in played(Path(folder)):
            (FOLDER / f"{name}.svg").write_text(picture, "utf-8")
            print(f"{name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
