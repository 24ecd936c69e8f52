"""Makes of a process what a shell makes of a job: a process group of its own in the foreground of the terminal.

    python -I -S job.py COMMAND...

stdin is the terminal, which becomes the controlling one; the process is to lead a session already.
"""

import os
import signal
import sys


def become_job() -> None:
    """Fork, and return in the child alone; the parent waits for its end and ends with its code."""
    os.close(os.open(os.ttyname(0), os.O_RDWR))
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        return
    status = os.waitstatus_to_exitcode(os.waitpid(job, 0)[1])
    os._exit(128 - status if status < 0 else status)


if __name__ == "__main__":
    become_job()
    os.execvp(sys.argv[1], sys.argv[1:])
