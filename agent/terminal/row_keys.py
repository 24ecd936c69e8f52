"""Up and Down in a draft with long lines: by rows of the screen, as a person counts them, not by lines of the text."""

from functools import partial

from prompt_toolkit.application import get_app
from prompt_toolkit.data_structures import Point
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text.utils import fragment_list_len
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import BufferControl
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType

ROWS = {"up": -1, "down": 1}


def row_keys() -> KeyBindings:
    """Return the keys; where there is no row to go to, they are what they are without these."""
    keys = KeyBindings()
    for name, by in ROWS.items():
        keys.add(name, filter=Condition(partial(is_row_beside, by)))(partial(_go, by))
    return keys


def is_row_beside(by: int) -> bool:
    """Tell whether the draft goes on so many rows below the cursor (above: negative) and no menu is open."""
    return _beside(by) is not None


def _go(by: int, event: KeyPressEvent) -> None:
    control, place = get_app().layout.current_control, _beside(by)
    if place is not None:
        # A click: there is no other public way from a place on the screen to one in the text.
        control.mouse_handler(MouseEvent(place, MouseEventType.MOUSE_DOWN, MouseButton.LEFT, frozenset()))


def _beside(by: int) -> Point | None:
    """Return the place as (column, line) of what is shown, as the last frame had it."""
    window = get_app().layout.current_window
    info, control = window.render_info, window.content
    if info is None or not isinstance(control, BufferControl) or control.buffer.complete_state:
        return None
    starts, row, cursor = (
        info.visible_line_to_row_col,
        info.cursor_position.y,
        info.ui_content.cursor_position,
    )
    if row not in starts:
        return None
    if row + by not in starts:
        hidden = cursor.x + by * info.window_width  # a row of the same line may be scrolled away
        is_there = 0 <= hidden < fragment_list_len(info.ui_content.get_line(cursor.y))
        return Point(x=hidden, y=cursor.y) if is_there else None
    line, first = starts[row + by]
    wanted = first + cursor.x - starts[row][1]
    after = starts.get(row + by + 1)
    return Point(x=min(wanted, after[1] - 1) if after and after[0] == line else wanted, y=line)
