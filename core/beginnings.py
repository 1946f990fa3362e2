"""Event 0 of many matches as bytes, what is equal in them once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import msgspec
import numpy as np

from kifold.core.codec import around
from kifold.core.events import Started

NO_BYTES = np.zeros(0, np.uint8)


@dataclass(frozen=True)
class Beginnings:
    """Event 0 of many matches, but for their setups: the bytes before the tags, the tags, the bytes after the setup.

    Attributes:
        fronts, front_ends: uint8, int64: the different beginnings, one after the other, and where each ends.
        backs, back_ends: the same of what follows the setup.
        which: per match its beginning (int64).
        tags, tag_begins, tag_ends: uint8, int64: the bytes of tags, and per match from where to where its own are.
    """

    fronts: np.ndarray[Any, Any]
    front_ends: np.ndarray[Any, Any]
    backs: np.ndarray[Any, Any]
    back_ends: np.ndarray[Any, Any]
    which: np.ndarray[Any, Any]
    tags: np.ndarray[Any, Any]
    tag_begins: np.ndarray[Any, Any]
    tag_ends: np.ndarray[Any, Any]

    @classmethod
    def of(
        cls,
        parts: Sequence[tuple[bytes, bytes]],
        which: np.ndarray[Any, Any],
        tags: np.ndarray[Any, Any],
        tag_ends: np.ndarray[Any, Any],
    ) -> Beginnings:
        """Beginnings from the bytes before tags and after setup of each one that there is."""
        fronts, backs = (b"".join(part[side] for part in parts) for side in (0, 1))
        ends = [np.array(list(accumulate((len(part[side]) for part in parts), initial=0)), np.int64) for side in (0, 1)]
        first, second = (np.frombuffer(data, np.uint8) for data in (fronts, backs))
        return cls(first, ends[0], second, ends[1], which, tags, tag_ends[:-1], tag_ends[1:])

    @classmethod
    def alike(cls, started: Started, count: int) -> Beginnings:
        """Those of matches that begin alike, but for the setup."""
        before, after = around(started)
        nowhere = np.zeros(count + 1, np.int64)
        return cls.of([(before + msgspec.msgpack.encode(started.tags), after)], nowhere[1:], NO_BYTES, nowhere)

    def only(self, wanted: np.ndarray[Any, Any]) -> Beginnings:
        """Those of the matches for which `wanted` is true."""
        return replace(
            self, which=self.which[wanted], tag_begins=self.tag_begins[wanted], tag_ends=self.tag_ends[wanted]
        )

    @property
    def size(self) -> int:
        """The bytes of all of them."""
        lengths = np.diff(self.front_ends) + np.diff(self.back_ends)
        return int(lengths[self.which].sum() + (self.tag_ends - self.tag_begins).sum())
