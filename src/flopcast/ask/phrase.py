"""A question in one breath, `llama 8b, 1B tokens, 8xA100, lora, how long` -> the options of `flopcast estimate`.

Every word is understood, or a filler, or named as not understood: nothing is passed over.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from functools import cache

from flopcast import facts
from flopcast.ask.cluster import read_cluster
from flopcast.ask.collect import Problems
from flopcast.describe import Question
from flopcast.errors import BadInput
from flopcast.units.numbers import fail

MAX_TEXT = 1000
LONGEST_SPAN = 7
_COUNT = r"[\d.,_]+\s*(?:[kmbtKMBT]|thousand|million|billion|trillion)?"
_SECONDS = r"(?:ms|s|secs?|seconds?|min|minutes?|h|hours?)"
_UNIT = r"(?:updates?|steps?|it|iters?|iterations?|epochs?|s|sec|second|min|hour|h|day)"
_EACH = r"(?:\s*(?:/|per)\s*(?:gpu|chip|accelerator|card|device|tpu|core|node)s?)?"
_PART = r"(?:gpu|chip|node|accelerator)"
_MARK = r"(?:US\$|[$€£]|usd|eur|gbp|dollars?)"
_RULES = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("batch", rf"(?:global\s+)?batch(?:[\s-]*size)?(?:\s+of)?\s+({_COUNT}(?:\s*tokens)?)(?:\s*sequences)?"),
        ("seq_len", rf"({_COUNT})(?:\s+tokens\s+of)?\s*-?(?:context|ctx)"),
        ("seq_len", rf"(?:context|ctx|seq(?:uence)?(?:[\s-]*len(?:gth)?)?)(?:\s+of)?\s+({_COUNT})(?:\s*tokens)?"),
        ("runs", rf"({_COUNT})\s*(?:runs|fine-?\s?tun(?:es|ings)|trainings|experiments)(?:\s+of)?"),
        ("tokens", rf"({_COUNT}\s*tok(?:en)?s?)"),
        ("samples", rf"({_COUNT})\s*(?:samples|examples|images)"),
        ("epochs", rf"({_COUNT})\s*(?:epochs?|passes)"),
        ("updates", rf"({_COUNT})\s*(?:updates|steps|iterations)"),
        ("mfu", r"([\d.]+\s*%)(?:\s*(?:mfu|utili[sz]ation))?"),
        ("mfu", r"(?:mfu|utili[sz]ation)(?:\s+of)?\s+([\d.]+\s*%?)"),
        ("achieved", r"([\d.]+\s*(?:hardware\s+)?[gtpGTP]flop\S*(?:\s*(?:per|/)\s*\w+)*(?:\s+each)?)"),
        ("measured", rf"([\d.,]+\s*{_SECONDS}\s*(?:/|per|an?)\s*{_UNIT})"),
        ("measured", rf"({_COUNT}\s*(?:tok(?:en)?s?|samples?|it|steps?|updates?)\s*(?:/|per)\s*{_UNIT}{_EACH})"),
        ("price", rf"({_MARK}?\s*[\d.,]+\s*{_MARK}?{_EACH}\s*(?:/|per|an?)\s*(?:{_PART}[\s-]+)?(?:h|hr|hour){_EACH})"),
        ("precision", r"(fp64|fp32|tf32|fp16|bf16|fp8|mxfp8|int8|fp4|nvfp4|mxfp4)(?:\s+precision)?"),
        ("method", r"(qlora|lora|sft|pre-?train(?:ing|ed)?|from\s+scratch|(?:full\s+)?fine-?\s?tun(?:e|es|ed|ing))"),
        ("deadline", rf"(?:in|within|by)\s+({_COUNT}\s*(?:d|days?|w|weeks?|months?|h|hours?|years?))"),
        ("money", rf"(?:for\s+)?({_MARK}\s*{_COUNT}|{_COUNT}\s*{_MARK})"),
    )
)  # fmt: skip
_PARAMETERS = re.compile(r"[\d.,_]+\s*[kmbt](?:\s*-\s*a[\d.]+\s*[kmb])?|\d+\s*x\s*[\d.]+\s*[mb]", re.IGNORECASE)
_FILLER_WORDS = """
a an and are ask at by can cost cost? costs do does each estimate expensive for from gpu gpus hours how i in is it
    its long long? many me model money much much? my need network of on our over parameters please run running take
    take? takes tell the time to train trained training using want we what will with would ? -
"""
_FILLER = frozenset(_FILLER_WORDS.split())


@dataclass(slots=True)
class Phrase:
    """What was understood of a phrase, by option; what was not; what another command answers; what was said twice."""

    words: dict[str, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    elsewhere: dict[str, str] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems)

    def command(self) -> str:
        """The command line that says the same."""
        places = [self.words[name] for name in ("model", "tokens") if name in self.words]
        options = [
            f"--{n.replace('_', '-')} {shlex.quote(v)}" for n, v in self.words.items() if n not in ("model", "tokens")
        ]
        return " ".join(["flopcast estimate", *map(shlex.quote, places), *options])


def read_phrase(text: str) -> Phrase:
    """Reads a phrase piece by piece, the longest run of words first; nothing is refused here."""
    phrase = Phrase()
    for piece in re.split(r",(?!\d)|[;\n]|[?!](?:\s|$)", text):
        words = piece.split()
        while words:
            words = words[_take(words, phrase) :]
    return phrase


def phrase_question(text: str, *, where: str = "question") -> tuple[Question, str | None, str]:
    """The question in a phrase, the number of like runs, and the command line that says the same.

    Raises BadInput for what is not understood.
    """
    if len(text) > MAX_TEXT:
        raise fail(where, text, f"at most {MAX_TEXT} characters long")
    phrase = read_phrase(text)
    for word in phrase.unknown:
        hint = (
            f"the rest reads as: {phrase.command()}" if phrase.words else "such as: llama 8b, 1B tokens, 8xA100, lora"
        )
        phrase.problems.add(where, word, "a network, tokens, accelerators, or an option of `flopcast estimate`", hint)
    for name, value in phrase.elsewhere.items():
        phrase.problems.add(where, value, "what `flopcast estimate` answers", _other_command(name, value, phrase.words))
    phrase.problems.raise_if_any()
    words = {name: value for name, value in phrase.words.items() if name != "runs"}
    return Question(**words), phrase.words.get("runs"), phrase.command()


def _take(words: list[str], phrase: Phrase) -> int:
    """How many words the next thing understood is of; keeps it."""
    for length in range(min(LONGEST_SPAN, len(words)), 0, -1):
        span = " ".join(words[:length])
        if found := _recognise(span, phrase):
            _keep(*found, span, phrase)
            return length
    if words[0].lower() not in _FILLER:
        phrase.unknown.append(words[0])
    return 1


def _recognise(span: str, phrase: Phrase) -> tuple[str, str] | None:
    """The option that a run of words is, and its value."""
    for name, rule in _RULES:
        if match := rule.fullmatch(span):
            return name, match[1].strip()
    if _PARAMETERS.fullmatch(span):
        return ("tokens" if "model" in phrase.words else "model"), span
    if re.fullmatch(r"(?:\.{0,2}/|~)\S+|\S+\.json", span) or _is_network(span):
        return "model", span
    cluster = re.sub(r"(?<=\d)s$", "", span)
    return ("on", cluster) if _is_cluster(cluster) else None


def _keep(name: str, value: str, span: str, phrase: Phrase) -> None:
    if name in ("deadline", "money"):
        phrase.elsewhere[name] = value
        return
    if name == "runs" and "tun" in span:
        phrase.words.setdefault("method", "full")
    if name == "method":
        weak = phrase.words.get("method") == "full" and not value.lower().startswith("full")
        value = _method(value)
        if value == "full" and "method" in phrase.words:
            return
        if weak:
            del phrase.words["method"]
    if name in phrase.words:
        phrase.problems.add(
            "question", span, f"{name.replace('_', '-')} said once", f"it is also `{phrase.words[name]}`"
        )
        return
    phrase.words[name] = value


def _other_command(name: str, value: str, words: dict[str, str]) -> str:
    """The command that answers a deadline, or a budget, with what else was understood."""
    said = {key: shlex.quote(word) for key, word in words.items()}
    on = said.get("on", "ACCELERATOR")
    if name == "money":
        model = f" --model {said['model']}" if "model" in said else ""
        return f"a budget: flopcast budget --money {shlex.quote(value)} --on {on}{model}; a price needs `/h`"
    network, tokens = said.get("model", "MODEL"), said.get("tokens", "TOKENS")
    return f"a deadline: flopcast size {network} {tokens} --within {shlex.quote(value)} --on {on}"


def _method(said: str) -> str:
    said = said.lower()
    if said.startswith(("pre", "from")):
        return "pretrain"
    return said if said in ("lora", "qlora", "sft") else "full"


@cache
def _first_words() -> tuple[str, ...]:
    names = [name for entry in facts.networks().values() for name in (entry.name, *entry.aliases)]
    return tuple({match[0] for name in names if (match := re.match(r"[a-z]+", name.lower()))})


def _is_network(span: str) -> bool:
    if not span.lower().rpartition("/")[2].startswith(_first_words()):
        return False
    try:
        facts.find_network(span)
    except BadInput:
        return False
    return True


def _is_cluster(span: str) -> bool:
    if not re.search(r"\d", span) or not re.search(r"[A-Za-z]", span):
        return False
    try:
        read_cluster(span)
    except BadInput:
        return False
    return True
