"""The words of a small made-up English: random stems, inflected and derived by rule.

Many stems serve as several parts of speech (a noun that is also a verb, an adjective that is also a noun). Verbs
belong to one or two of the kinds that ``VERB_KINDS`` names.
"""

from collections.abc import Iterable
from random import Random

SEED = 2000  # the language's own: the words are the same for every corpus
VERB_KINDS = {
    "in": "intransitive",
    "tr": "transitive",
    "di": "ditransitive",
    "cl": "with a clause",
    "pt": "with a particle",
    "co": "with an infinitive",
}
SYLLABLES = {
    "onset": "b bl br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr r s sc sh sl sp st str th tr v w y",
    "vowel": "a a e e i i o o u u ai ea ee oa oo ou",
    "coda": "ft l ll m mp nd nk p r rd rk rn rt s sk sp st th x",
    "ending": "al an ar el en er et ic in it le on or ow ure y",
}

CLOSED = {
    "MD@modal": "will would may could should can might must",
    "RB@degree": "very rather quite fairly almost highly increasingly even too",
    "RB@sentence": "now also still then however again soon perhaps already often",
    "CD@number": "two three four five six seven eight nine ten 20 12 30 15 50 100 25 40 11 13 1.5 2.5 18 60 300",
    "NN@period": "year week month quarter decade summer",
    "NNS@period": "years weeks months quarters decades summers",
    "NNP@weekday": "Monday Friday Tuesday Thursday Wednesday Saturday Sunday",
    "NNP@month": "March October April January June December July",
    "RP@particle": "up out down off over in on away",
    "PRP@SG": "it he she I you",
    "PRP@PL": "they we you",
    "PRP@object": "it them him us me her you",
    "PRP$@owner": "its his their our her my",
    "DT@SG": "the a this another every that each",
    "DT@PL": "the these some all those any both",
}


def lexicon(reserved: Iterable[str]) -> dict[str, list[str]]:
    """Words by ``TAG@class``, in falling order of frequency; the same at every call.

    Args:
        reserved: Function words, which no stem may be.
    """
    rng = Random(SEED)
    taken = {*reserved, *(word for words in CLOSED.values() for word in words.split())}
    onsets, vowels, codas, endings = (pieces.split() for pieces in SYLLABLES.values())

    def stems(count: int) -> list[str]:
        made: list[str] = []
        while len(made) < count:
            stem = _pick(onsets, rng) + _pick(vowels, rng) + _pick(codas, rng)
            if rng.random() < 0.6:
                stem += _pick(endings, rng)
            if stem not in taken:
                taken.add(stem)
                made.append(stem)
        return made

    shared = stems(260)  # nouns and verbs
    verbs = _shuffled(shared + stems(400), rng)
    agents = [_suffixed(verb, "er") for verb in verbs[::6]]
    nouns = _shuffled(shared + agents + stems(1100), rng)
    derived = [noun + ("al", "ful", "less", "ish")[i % 4] for i, noun in enumerate(nouns[::6])]
    adjectives = _shuffled(nouns[5::40] + derived + stems(260), rng)

    words = {name: listed.split() for name, listed in CLOSED.items()}
    words |= {"NN@noun": nouns, "NNS@noun": [_plural(noun) for noun in nouns]}
    words |= {"JJ@adj": adjectives, "RB@manner": _shuffled([word + "ly" for word in adjectives[::2]], rng)}
    words["JJR@adj"] = [_suffixed(word, "er") for word in adjectives[1::3]]
    kinds = {
        "tr": verbs[:440],
        "in": _shuffled(verbs[440:580] + verbs[:440:8], rng),
        "di": _shuffled(verbs[580:600] + verbs[3:440:16], rng),
        "cl": _shuffled(verbs[600:630] + verbs[5:440:16], rng),
        "pt": _shuffled(verbs[630:650] + verbs[7:440:16], rng),
        "co": verbs[650:],
    }
    for kind, members in kinds.items():
        words[f"VB@{kind}"] = words[f"VBP@{kind}"] = members
        words[f"VBZ@{kind}"] = [_plural(verb) for verb in members]
        words[f"VBD@{kind}"] = words[f"VBN@{kind}"] = [_suffixed(verb, "ed") for verb in members]
        words[f"VBG@{kind}"] = [_suffixed(verb, "ing") for verb in members]
    for kind, count in {"first": 120, "last": 400, "place": 150, "firm": 150}.items():
        words[f"NNP@{kind}"] = [stem.capitalize() for stem in stems(count)]
    words["NNP@firm"] = _shuffled(words["NNP@firm"] + [noun.capitalize() for noun in nouns[::50]], rng)
    return words


def _pick(items: list[str], rng: Random) -> str:
    return items[int(rng.random() * len(items))]


def _shuffled(items: list[str], rng: Random) -> list[str]:
    # only Random.random() draws the same numbers in every version of Python
    return [item for _, item in sorted((rng.random(), item) for item in items)]


def _plural(stem: str) -> str:
    """A noun's plural, which is also a verb's third person."""
    if stem.endswith(("s", "x", "ch", "sh")):
        return stem + "es"
    return stem[:-1] + "ies" if stem.endswith("y") else stem + "s"


def _suffixed(stem: str, suffix: str) -> str:
    if stem.endswith("e"):
        return stem[:-1] + suffix
    if stem.endswith("y") and suffix != "ing":
        return stem[:-1] + "i" + suffix
    return stem + suffix
