"""The one exception of the offline server: a request that the real API would not accept."""


class RefusalError(Exception):
    """An answer with an error ``status`` instead of a reply.

    Args:      message: the text of the error body; status: of the HTTP answer.
    """

    def __init__(self, message: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
