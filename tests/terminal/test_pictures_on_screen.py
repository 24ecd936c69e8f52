"""A picture that is dragged onto a real screen is sent."""

import base64
from pathlib import Path

from agent.offline import Script, always
from tests.support.pictures import picture
from tests.support.screen_agent import READY, agent_on_screen, answer


def test_a_dragged_picture(tmp_path: Path) -> None:
    """Its path comes as a terminal pastes it; the user sees what was sent and what was not, the model gets the picture."""
    shot = tmp_path / "Desk top" / "Screen Shot (1).png"
    shot.parent.mkdir()
    shot.write_bytes(picture((30, 20)))
    (shot.parent / "half.png").write_bytes(shot.read_bytes()[:60])
    dragged = str(shot).replace(" ", "\\ ").replace("(", "\\(").replace(")", "\\)")
    with agent_on_screen(tmp_path, script=Script(always(answer)), columns=200) as on:
        on.terminal.until(READY)
        on.terminal.send(f"\x1b[200~{dragged}\x1b[201~")
        on.terminal.until("Shot")
        on.terminal.send(f" '{shot.parent}/half.png' why?")
        on.terminal.until("why?")
        on.terminal.send("\r")
        on.terminal.until("You said")
        assert "[image Screen Shot (1).png 30x20]\n" in on.terminal.text
        assert "not sent as a picture: " in on.terminal.text
        content = on.server.queries[0].body["messages"][-1]["content"]
        images = [block["source"]["data"] for block in content if block["type"] == "image"]
        assert [base64.b64decode(image) for image in images] == [shot.read_bytes()]
        on.terminal.send("\x04")
        assert on.terminal.ended() == 0
        assert on.server.refusals == []
