"""Reading a configuration that nobody has checked: every value typed and bounded, every default written down."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final

from flopcast.errors import BadInput, Problem

MOST: Final = 2**40
MOST_LAYERS: Final = 100_000
_SHOWN: Final = 60
_ALIKE: Final = 0.85  # names this near are one name and a slip, not two names
NOT_READ: Final = "is not read"


class Log:
    """What reading one configuration brought up: its mistakes and the defaults that stood in for absent fields."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.defaults: dict[str, str] = {}
        self.notes: list[str] = []
        self._given: dict[str, dict[str, None]] = {}
        self._asked: dict[str, dict[str, None]] = {}
        self._missed: dict[str, dict[str, None]] = {}

    def given(self, where: str, names: Iterable[object]) -> None:
        """Keep the names of the fields that stand at one level of the configuration."""
        self._given.setdefault(where, {}).update(dict.fromkeys(str(name) for name in names))

    def asked(self, where: str, *names: str, missed: bool) -> None:
        """Keep the names that the family reads there, and those of fields that are `missed`: under no name given."""
        self._asked.setdefault(where, {}).update(dict.fromkeys(names))
        if missed:
            self._missed.setdefault(where, {}).update(dict.fromkeys(names))

    def slips(self) -> tuple[str, ...]:
        """Fields that nobody read and that look like one that was looked for in vain."""
        found = []
        for where, names in self._given.items():
            asked = self._asked.get(where, {})
            absent = {name.lower(): name for name in self._missed.get(where, {}) if name not in names}
            for name in names:
                close = [] if name in asked else get_close_matches(name.lower().replace("-", "_"), absent, 1, _ALIKE)
                if close:
                    taken = self.defaults.get(f"{where}.{absent[close[0]]}")
                    instead = f", taken as {taken}" if taken else ""
                    found.append(f"{where}.{name[:_SHOWN]} {NOT_READ}: did you mean {absent[close[0]]}{instead}?")
        return tuple(found)

    def check(self) -> None:
        """Raise BadInput with all mistakes found so far, if there are any."""
        if self.problems:
            raise BadInput(*dict.fromkeys(self.problems))


class StandIn(int):
    """A harmless number in the place of one that was bad; no further mistake is found in it."""


class Fields:
    """One level of a configuration over the defaults of its family.

    A reading method never raises: a bad value is logged and a harmless one returned, so that one pass finds all
    mistakes. `Log.check` raises before anything is made of the values. A field may go by several names (`n_embd`,
    `hidden_size`); the first is the one that the family's defaults use.
    """

    def __init__(
        self, config: Mapping[str, object], defaults: Mapping[str, object], *, log: Log, where: str = "config"
    ) -> None:
        self._config = config
        self._defaults = defaults
        self._where = where
        self.log = log
        log.given(where, config)

    def problem(self, name: str, *, allowed: str, given: object = None, hint: str = "") -> None:
        """Log a mistake at field `name`; `given` is shown in place of the field's own value."""
        shown = str(self._config.get(name) if given is None else given)
        shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "..."
        self.log.problems.append(Problem(where=f"{self._where}.{name}", given=shown, allowed=allowed, hint=hint))

    def note(self, text: str) -> None:
        self.log.notes.append(text)

    def defaulted(self, name: str, value: object) -> None:
        """Write down that absent field `name` was taken to be `value`."""
        if value is not None:
            self.log.defaults.setdefault(f"{self._where}.{name}", str(value))

    def has(self, name: str) -> bool:
        self.log.asked(self._where, name, missed=name not in self._config)
        return name in self._config

    def given(self, name: str) -> bool:
        """Whether the field is there and not null."""
        self.log.asked(self._where, name, missed=name not in self._config)
        return self._config.get(name) is not None

    def raw(self, name: str, *aliases: str) -> object:
        """The value as given, else the default (written down), else None. Names that disagree are a mistake."""
        present = [key for key in (name, *aliases) if key in self._config]
        self.log.asked(self._where, name, *aliases, missed=not present)
        if not present:
            value = self._defaults.get(name)
            self.defaulted(name, value)
            return value
        value = self._config[present[0]]
        for other in present[1:]:
            if self._config[other] != value:
                self.problem(other, allowed=f"the same as {present[0]} ({value}), another name of the same field")
        return value

    def integer(self, name: str, *aliases: str, low: int = 1, high: int = MOST) -> int:
        """A whole number from `low` to `high`; required where the family has no default."""
        value = self._integer(name, aliases, low, high)
        if value is None:
            given = "null" if self.has(name) else "absent"
            self.problem(name, given=given, allowed=f"a whole number of at least {low}")
            return StandIn(max(low, 1))
        return value

    def maybe_integer(self, name: str, *aliases: str, low: int = 1, high: int = MOST) -> int | None:
        """A whole number or None when absent or null."""
        return self._integer(name, aliases, low, high)

    def _integer(self, name: str, aliases: tuple[str, ...], low: int, high: int) -> int | None:
        value = self.raw(name, *aliases)
        if value is None:
            return None
        key = next((key for key in (name, *aliases) if key in self._config), name)
        if isinstance(value, bool) or not isinstance(value, int):
            self.problem(key, given=_as_json(value), allowed="a whole number")
            return StandIn(max(low, 1))
        if not low <= value <= high:
            self.problem(key, given=_short(value), allowed=f"a whole number from {low} to {high}")
            return StandIn(max(low, 1))
        return value

    def number(self, name: str, *, low: float, high: float) -> float:
        """A finite number from `low` to `high`."""
        value = self.raw(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            self.problem(name, given=_as_json(value), allowed=f"a number from {low:g} to {high:g}")
            return max(low, 1.0)
        return float(value)

    def flag(self, name: str, *aliases: str) -> bool:
        """True or false; absent without a default, or null, is false."""
        value = self.raw(name, *aliases)
        if value is None:
            return False
        if not isinstance(value, bool):
            self.problem(name, given=_as_json(value), allowed="true or false")
            return False
        return value

    def word(self, name: str, allowed: Sequence[str]) -> str:
        """One of the words `allowed`."""
        value = self.raw(name)
        if not isinstance(value, str) or value not in allowed:
            self.problem(name, given=_as_json(value), allowed="one of " + ", ".join(allowed))
            return allowed[0]
        return value

    def text(self, name: str) -> str:
        """Any text; absent without a default is empty."""
        value = self.raw(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.problem(name, given=_as_json(value), allowed="text")
            return ""
        return value

    def words(self, name: str, *, length: int, allowed: Sequence[str]) -> tuple[str, ...] | None:
        """A list of `length` words out of `allowed`, or None when absent or null."""
        value = self.raw(name)
        if value is None:
            return None
        if not isinstance(value, (list, tuple)) or len(value) != length:
            given = f"{len(value)} entries" if isinstance(value, (list, tuple)) else _as_json(value)
            self.problem(name, given=given, allowed=f"a list with one entry for each of {length} layers")
            return None
        strange = sorted({_as_json(word) for word in value if not (isinstance(word, str) and word in allowed)})
        if strange:
            self.problem(name, given=", ".join(strange[:3]), allowed="a list of " + ", ".join(allowed))
            return None
        return tuple(str(word) for word in value)

    def integers(self, name: str, *, low: int = 0, high: int = MOST) -> tuple[int, ...]:
        """A list of whole numbers; absent without a default, or null, is empty."""
        value = self.raw(name)
        if value is None:
            return ()
        whole = isinstance(value, (list, tuple)) and all(
            isinstance(entry, int) and not isinstance(entry, bool) and low <= entry <= high for entry in value
        )
        if not whole or not isinstance(value, (list, tuple)):
            self.problem(name, allowed=f"a list of whole numbers from {low} to {high}")
            return ()
        return tuple(value)

    def child(self, name: str, defaults: Mapping[str, object]) -> Fields:
        """The nested configuration `name`; absent or null, it is all defaults."""
        value = self._config.get(name)
        if value is not None and not isinstance(value, Mapping):
            self.problem(name, given=_as_json(value), allowed="a nested configuration")
        inner = value if isinstance(value, Mapping) else {}
        return Fields(inner, defaults, log=self.log, where=f"{self._where}.{name}")

    def with_defaults(self, defaults: Mapping[str, object]) -> Fields:
        """The same level read with the defaults of another family."""
        return Fields(self._config, defaults, log=self.log, where=self._where)

    def divides(self, name: str, divisor: int, of: str, total: int, *, hint: str = "") -> int:
        """total / divisor, where field `name` = `divisor` must divide `of` = `total` without rest."""
        if total % divisor and not isinstance(total, StandIn) and not isinstance(divisor, StandIn):
            self.problem(name, given=divisor, allowed=f"a divisor of {of} ({total})", hint=hint)
        return max(1, total // divisor)

    def at_most(self, name: str, value: int, of: str, limit: int) -> None:
        """Log a mistake where field `name` = `value` is above `of` = `limit`."""
        if value > limit and not isinstance(value, StandIn) and not isinstance(limit, StandIn):
            self.problem(name, given=value, allowed=f"at most {of} ({limit})")


def _as_json(value: object) -> str:
    """A value as config.json has it: `true`, not `True`."""
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def _short(value: int) -> str:
    return str(value) if abs(value) < 10**20 else "a number of more than 20 digits"
