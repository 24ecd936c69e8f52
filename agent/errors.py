"""The error tree, by who must act.

AgentError
├── UserError               one line on stderr, exit 2
│   ├── UsageError          the command line asks for something impossible
│   └── SettingsError       a settings file cannot be used
├── SessionError            a log cannot be opened, found or continued
├── ModelError              the model did not answer
│   ├── TransientError      worth a retry after a pause
│   │   ├── RateLimited     429; `retry_after_s` when the server said so
│   │   ├── Overloaded      529, or an error event of that type in mid-stream
│   │   ├── ServerFault     5xx, or an answer that is not the protocol
│   │   └── ConnectionLost  broken or ended stream, time-out
│   │       └── Unreachable no connection at all: fewer tries
│   ├── ContextTooLong      the prompt is over the window: compact, retry once
│   ├── RequestTooLarge     over the 32 MB of a request: images go first
│   ├── NotAllowed          401, 402, 403: key, billing, permission
│   ├── NotFound            404: unknown model or address
│   └── BadRequest          any other refusal of the request
│       └── ImagesRefused   for an image in it: too large, too many, damaged
└── TurnEnd                 control flow: ends the turn at a clean place
    ├── Interrupted         by the user
    ├── Stopped             by a hook
    └── LimitReached        steps or cost
Anything else is a bug: session saved, traceback in a log file, exit 70.
"""


class AgentError(Exception):
    """Base of every error that we raise on purpose."""


class UserError(AgentError):
    """The user's input cannot be used; the text says what to do."""


class UsageError(UserError):
    """The command line asks for something impossible."""


class SettingsError(UserError):
    """A settings file cannot be used."""


class SessionError(AgentError):
    """A session log cannot be opened, found or continued."""


class ModelError(AgentError):
    """The model did not answer. ``status`` is the HTTP status, 0 without one."""

    def __init__(self, text: str, *, status: int = 0) -> None:
        super().__init__(text)
        self.status = status


class TransientError(ModelError):
    """A fault that a later try may not meet; ``retry_after_s`` is the server's own wish."""

    def __init__(self, text: str, *, status: int = 0, retry_after_s: float | None = None) -> None:
        super().__init__(text, status=status)
        self.retry_after_s = retry_after_s


class RateLimited(TransientError):
    """429: too many requests or tokens a minute."""


class Overloaded(TransientError):
    """529, or an overload reported inside a stream."""


class ServerFault(TransientError):
    """5xx, or an answer that does not speak the protocol."""


class ConnectionLost(TransientError):
    """A broken or ended stream, a time-out."""


class Unreachable(ConnectionLost):
    """There is no connection at all: a wrong address, no network; more often than not it stays so."""


class ContextTooLong(ModelError):
    """The prompt is over the window; sizes in tokens, 0 where the server named none."""

    def __init__(self, text: str, *, tokens: int = 0, maximum: int = 0) -> None:
        super().__init__(text, status=400)
        self.tokens = tokens
        self.maximum = maximum


class RequestTooLarge(ModelError):
    """The request is over the server's size in bytes."""


class NotAllowed(ModelError):
    """Key, billing or permission."""


class NotFound(ModelError):
    """Unknown model or address."""


class BadRequest(ModelError):
    """Any other refusal of the request."""


class ImagesRefused(BadRequest):
    """The request was refused for an image in it."""


class TurnEnd(AgentError):
    """Control flow: ends the turn at a clean place."""


class Interrupted(TurnEnd):
    """The user interrupted."""


class Stopped(TurnEnd):
    """A hook ended the turn; the text is its reason."""


class LimitReached(TurnEnd):
    """A limit on steps or cost was reached."""
