"""Threads of their own for reading and for deciding; they never touch a widget, they post."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from textual.message import Message


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work for a lane.

    Attributes:
        name: What it is, in words for the banner should it fail ("reading the queue").
        work: Runs on the lane's thread.
        done: Runs on the interface's thread with what `work` returned.
        failed: Runs on the interface's thread with the exception; None shows the banner.
        key: A waiting job with the same key is replaced by this one; empty means never.
    """

    name: str
    work: Callable[[], Any]
    done: Callable[[Any], None]
    failed: Callable[[Exception], None] | None = None
    key: str = ""


class Finished(Message):
    """A job ended well.

    Attributes:
        lane: Which lane did it.
        job: Which one.
        value: What its work returned.
    """

    def __init__(self, lane: Lane, job: Job, value: Any) -> None:
        super().__init__()
        self.lane = lane
        self.job = job
        self.value = value


class Failed(Message):
    """A job ended with an exception.

    Attributes:
        lane: Which lane did it.
        job: Which one.
        error: What it raised.
    """

    def __init__(self, lane: Lane, job: Job, error: Exception) -> None:
        super().__init__()
        self.lane = lane
        self.job = job
        self.error = error


@dataclass(slots=True)
class Lane:
    """One thread that does its jobs in order.

    The ledger's connections belong to the thread that opened them, so all work on the same
    connections goes through the same lane.

    Attributes:
        name: Name of the thread.
        post: Hands a message to the interface's thread; safe from any thread.
        at_end: Runs on the lane's thread after its last job, to close what that thread opened.
    """

    name: str
    post: Callable[[Message], object]
    at_end: Callable[[], object] = lambda: None
    _jobs: deque[Job] = field(default_factory=deque[Job])
    _wake: threading.Condition = field(default_factory=threading.Condition)
    _thread: threading.Thread | None = None
    _unheard: int = 0
    _closed: bool = False

    def submit(self, job: Job) -> None:
        """Queue a job, replacing one that waits under the same key; starts the thread if needed."""
        with self._wake:
            if self._closed:
                return
            if job.key:
                self._jobs = deque(old for old in self._jobs if old.key != job.key)
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
                self._thread.start()
            self._wake.notify()

    @property
    def idle(self) -> bool:
        """Whether nothing runs, nothing waits, and every result has been used."""
        with self._wake:
            return not self._unheard and not self._jobs

    def heard(self) -> None:
        """The result of one job has been used."""
        with self._wake:
            self._unheard -= 1

    def close(self, wait_seconds: float) -> bool:
        """Drop what waits, let the running job end, and stop.

        Args:
            wait_seconds: How long to wait for the running job.

        Returns:
            Whether the thread has ended.
        """
        with self._wake:
            self._closed = True
            self._jobs.clear()
            self._wake.notify_all()
        if self._thread is None:
            return True
        self._thread.join(wait_seconds)
        return not self._thread.is_alive()

    def _next(self) -> Job | None:
        with self._wake:
            while not self._jobs and not self._closed:
                self._wake.wait()
            if self._closed:
                return None
            self._unheard += 1
            return self._jobs.popleft()

    def _run(self) -> None:
        try:
            self._work()
        finally:
            self.at_end()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                message: Message = Finished(self, job, job.work())
            except Exception as error:
                message = Failed(self, job, error)
            self.post(message)
