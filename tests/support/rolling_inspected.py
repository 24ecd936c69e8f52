"""Layers under watch: each call is made twice, the view compared, and asked again after its plan was carried out."""

from compaction.pipeline import Layer
from compaction.plan import Plan
from compaction.situation import Situation
from compaction.view import View
from tests.support.rolling import Rolling
from tests.support.rolling_play import good_summary
from tests.support.rolling_shapes import Setting


def inspected(setting: Setting) -> Rolling:
    """Return a session whose layers are watched."""
    rolling = Rolling(setting, good_summary)
    rolling.layers = [_Watched(layer, rolling) for layer in rolling.layers]
    return rolling


class _Watched:
    """One layer; raises AssertionError when it is not pure, or does not rest after it acted."""

    def __init__(self, layer: Layer, rolling: Rolling) -> None:
        self._layer = layer
        self._rolling = rolling

    def __call__(self, view: View, situation: Situation) -> Plan | None:
        before = _facts(view)
        plan = self._layer(view, situation)
        assert _facts(view) == before
        assert self._layer(view, situation) == plan
        if plan is not None:
            self._check_rest(plan)
        return plan

    def _check_rest(self, plan: Plan) -> None:
        twin = self._rolling.twin()
        twin.layers = ()
        twin.act(plan)
        assert self._layer(twin.state.view, twin.situation()) is None, plan.layer


def _facts(view: View) -> object:
    return list(view), view.tokens, view.totals.bytes, view.sent, view.prefix_sha, set(view.history.said)
