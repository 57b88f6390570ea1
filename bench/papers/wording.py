"""Put the numbers of a claim's conditions in words: their range, direction and unit, and their setting."""

import math
import re
from collections.abc import Sequence

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.papers.evidence import EQUAL, FACTORS, Evidence

LEFT = {"": "", "at least": " or more", "at most": " or less"}  # said behind a bound
OPPOSITES = {  # words that give a difference its direction
    "more": "less", "above": "below", "below": "above", "ahead of": "behind", "ahead": "behind", "behind": "ahead",
    "wider": "narrower", "rises": "falls", "fall": "rise", "gains": "loses", "gain": "lose", "lose": "gain",
    "leads": "trails", "saves": "costs", "save": "cost", "cost": "save",
}  # fmt: skip
DIRECTION = re.compile(rf"\b({'|'.join(OPPOSITES)})\b")


def phrase(conditions: list[Evidence], name: str, says: str) -> str:
    """The range of a number in these words. In place of a sign, a word says on which side a difference lies.

    Of numbers on both sides, those on the words' side are counted: "above in 3 of 5, by 0.2 to 1.1".
    """
    said, word = spread(conditions, name), _direction(says)
    if conditions[0].kind in FACTORS or not said.startswith("-"):
        return says.replace("{}", said.replace("+", "") if word else said)
    turned = [each._replace(value=-each.value, theirs=-each.theirs) for each in conditions]
    beyond = [each for each in conditions if float(in_digits(getattr(each, name), each).replace(",", "")) > 0]
    if not beyond and word:
        other = f"{says[: word.start()]}{OPPOSITES[word[0]]}{says[word.end() :]}"
        return other.replace("{}", spread(turned, name).replace("+", ""))
    if not beyond:
        return says.replace("{}", said)
    if not word or conditions[0].claimed == EQUAL:
        farthest = max([*conditions, *turned], key=lambda each: getattr(each, name))
        return says.replace("{}", f"up to {spread([farthest], name).removeprefix('+')}") + ", either way"
    counted = f"{says.replace('{} ', '').replace(' {}', '')} in {len(beyond)} of {len(conditions)}"
    return f"{counted}, by {spread(beyond, name).replace('+', '')}"


def _direction(says: str) -> re.Match[str] | None:
    """The first word of direction behind the number, or else the last before it.

    Raises:
        UserError: There is no place for a number.
    """
    if "{}" not in says:
        raise UserError(f"a claim says {says!r}: expected a text with {{}} where the number goes")
    found = [*DIRECTION.finditer(says)]
    return next((each for each in found if each.start() > says.index("{}")), found[-1] if found else None)


def aside(conditions: list[Evidence], name: str) -> str:
    """A range with the word that gives it its direction, if that stands behind the number."""
    says, like = conditions[0].says, conditions[0]
    word = _direction(says)
    signed = like.kind == "difference" or min(getattr(each, name) for each in conditions) < 0
    behind = f" {word[0].removesuffix(' of')}" if word and signed and word.start() > says.index("{}") else ""
    return phrase(conditions, name, f"{{}}{behind}")


def known(condition: Evidence) -> bool:
    return math.isfinite(condition.certain)


def spread(conditions: Sequence[Evidence], name: str) -> str:
    """The range of a number over conditions, as in "3.5 to 8.5", "+0.2 to +0.4 points" or "at least 2.0"."""
    unit = unit_of(conditions[0])
    ordered = sorted(conditions, key=lambda each: getattr(each, name))
    bounds = {each.bound for each in conditions} if name == "certain" else {""}
    ends = [in_digits(getattr(each, name), each) for each in (ordered[0], ordered[-1])]
    if bounds == {"at least"}:
        return f"at least {ends[0]}{unit}"
    if bounds == {"at most"}:
        return f"at most {ends[1]}{unit}"
    if ends[0] == "0" and ordered[0].bound == "at most" and ordered[-1].bound != "at least":
        return f"at most {ends[1]}{unit}"
    words = [LEFT[each.bound] if len(bounds) > 1 else "" for each in (ordered[0], ordered[-1])]
    if ends[0] == ends[1]:
        return f"{ends[1]}{unit}{words[1]}"
    return f"{ends[0]}{words[0]} to {ends[1]}{unit}{words[1]}"


def unit_of(like: Evidence) -> str:
    """What stands behind a number."""
    return "%" if like.kind in ("share", "category") else f" {like.unit}" if like.unit else ""


def in_digits(value: float, like: Evidence) -> str:
    """A number for a reader: two digits of a factor, three just above 1, a sign for points, shares in percent."""
    if like.kind in ("share", "category"):
        return _digits(100 * value, *((1, 6) if abs(value) < 0.5e-4 else (2, 2)))
    if like.kind == "difference":
        return "0.00" if abs(value) < 0.005 else f"{value:+.2f}" if abs(value) < 10 else f"{value:+.0f}"
    return _digits(value, 2 if like.kind == "ratio" and not 1 <= value < 1.1 else 3)


def _digits(value: float, digits: int, most: int = 4) -> str:
    """The value with this number of digits, at most ``most`` of them after the point."""
    if abs(value) < 0.5 * 10.0**-most:
        return "0"
    after = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(after, most)}f}"


def setting(condition: Evidence) -> str:
    """Where a condition is, as in "C = 10, to 1%"; empty if nothing tells it from others."""
    texts = {name: f"{v:g}" if isinstance(v, float) else str(v) for name, v in condition.where.items()}
    links = {name: " =" if len(name.rstrip("'")) == 1 else "" for name in texts}
    return ", ".join(f"{name}{links[name]} {text}".strip() for name, text in texts.items())
