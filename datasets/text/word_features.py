"""The base features of words of laso2005, section 4.1, as further columns of sentences.

They are the word, lower-cased, its stem (Porter's English stemmer in its second version), what the stem lacks of
the word, and its pattern of cases. Its first and last 1, 2 and 3 characters and the lists that it is in come, too.
The paper names lists of "names, locations, abbreviations, stop words, etc." without their source. Ours are closed
classes written out here, and lists taken from the training sentences (``learn_lists``).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable

import snowballstemmer

from structbench.datasets.text.columns import Sentences

STOP_WORDS = 150  # how many of the most frequent words
LEXICON_COUNT = 3  # the least occurrences of a word of the lexicon
LEXICON_SHARE = 0.02  # of a word's occurrences: a part of speech that is rarer is an error, or no help
CLOSED = {
    "month": "January February March April May June July August September October November December "
    "Jan. Feb. Mar. Apr. Jun. Jul. Aug. Sept. Oct. Nov. Dec.",
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "number": "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty "
    "hundred thousand million billion trillion dozen",
    "title": "Mr. Mrs. Ms. Dr. Prof. Sen. Rep. Gov. Gen. Lt. Col. Sgt. Judge President Chairman",
    "company": "Inc. Corp. Co. Ltd. PLC S.A. N.V. AG & Group Bancorp Industries International",
}
# The regular expressions in the table of features of Sutton, Rohanimanesh and McCallum, Dynamic conditional random
# fields (2004), written from the paper's description; the last two are ours.
PATTERNS = {
    "initial": "[A-Z][a-z]+",
    "several": "[A-Z][A-Z]+",
    "capital": "[A-Z]",
    "capitals": "[A-Z]+",
    "mixed": "[A-Z]+[a-z]+[A-Z]+[a-z]*",
    "digit": ".*[0-9].*",
    "hyphen": ".+-.+",
    "punctuation": r"[^\w\s]+",
}
PLACES = ("in", "at", "from", "near")  # prepositions that a name of a place follows

Lists = dict[str, set[str]]


def learn_lists(sentences: Sentences) -> Lists:
    """Stop words, names and places of training sentences, apart from the closed classes.

    Names are capitalised words that never occur without a capital inside of a sentence. Places are names that
    follow a preposition of place more often than once.
    """
    words = sentences.columns["w"]
    first = sentences.first_tokens
    inside = Counter(word for t, word in enumerate(words) if t not in first)
    names = {word for word in inside if word[0].isupper() and len(word) > 1 and not inside[word.lower()]}
    pairs = zip(words, words[1:], range(1, len(words)), strict=False)
    follow = Counter(word for before, word, t in pairs if t not in first and before.lower() in PLACES)
    common = Counter(word.lower() for word in words if word[0].isalpha()).most_common(STOP_WORDS)
    learned = {
        "stop": {word for word, _ in common},
        "name": names,
        "place": {word for word in names if follow[word] > 1},
    }
    return {name: set(members.split()) for name, members in CLOSED.items()} | learned


def add_columns(sentences: Sentences, lists: Lists) -> Sentences:
    """The sentences with a column for each base feature of their words ``w``; None where a word has it not.

    Columns: lower, stem, ending, case, first1 .. first3, last1 .. last3, lists.
    """
    stemmer = snowballstemmer.stemmer("english")
    words = list(dict.fromkeys(sentences.columns["w"]))
    stems = dict(zip(words, stemmer.stemWords([word.lower() for word in words]), strict=True))
    features: dict[str, Callable[[str], str | None]] = {
        "lower": str.lower,
        "stem": stems.__getitem__,
        "ending": lambda word: _ending(word.lower(), stems[word]),
        "case": case_pattern,
        "lists": lambda word: _memberships(word, lists),
    }
    for n in (1, 2, 3):
        features[f"first{n}"] = lambda word, n=n: word[:n]
        features[f"last{n}"] = lambda word, n=n: word[-n:]
    return sentences.with_word_features(**features)


def add_patterns(sentences: Sentences) -> Sentences:
    """The sentences with the column ``patterns``: which of ``PATTERNS`` a whole word matches; None for none.

    All that match make one value, which tells no less than a feature for each of them.
    """
    return sentences.with_word_features(patterns=_matches)


def _matches(word: str) -> str | None:
    return "+".join(name for name, pattern in PATTERNS.items() if re.fullmatch(pattern, word)) or None


def learn_lexicon(sentences: Sentences) -> dict[str, str]:
    """The parts of speech ``pos`` that a word has in training sentences, if it is there often enough.

    It stands for the lists of words with a part of speech that Sutton, Rohanimanesh and McCallum (2004) use.
    Rare words are left out: learning would rely on entries that new words do not have.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for word, tag in zip(sentences.columns["w"], sentences.columns["pos"], strict=True):
        counts[word][tag] += 1
    total = {word: sum(of_word.values()) for word, of_word in counts.items()}
    return {
        word: "+".join(sorted(tag for tag, count in of_word.items() if count > LEXICON_SHARE * total[word]))
        for word, of_word in counts.items()
        if total[word] >= LEXICON_COUNT
    }


def add_lexicon(sentences: Sentences, lexicon: dict[str, str]) -> Sentences:
    """The sentences with the column ``lexicon``: a word's parts of speech, or else its cases and its ending.

    And what the column ``wordnet`` tells of such a word.
    """
    known = dict(zip(sentences.columns["w"], sentences.columns["wordnet"], strict=True))

    def entry(word: str) -> str:
        return lexicon.get(word) or f"{case_pattern(word)}~{word[-2:]}~{known[word]}"

    return sentences.with_word_features(lexicon=entry)


def case_pattern(word: str) -> str:
    """Runs of capitals, small letters, digits and others, each as one A, a, 0 or -: ``Mid-1990s`` is Aa-0a."""
    for kind, sign in (("[A-Z]+", "A"), ("[a-z]+", "a"), ("[0-9]+", "0"), ("[^Aa0]+", "-")):
        word = re.sub(kind, sign, word)
    return word


def _ending(word: str, stem: str) -> str:
    """A word without its stem. A ~ comes first if the stem is not the word's beginning."""
    return word.removeprefix(stem) if word.startswith(stem) else "~" + word[-2:]


def _memberships(word: str, lists: Lists) -> str | None:
    member = [
        name for name, members in lists.items() if word in members or (name == "stop" and word.lower() in members)
    ]
    if len(word) > 1 and "." in word and any(letter.isalpha() for letter in word):
        member.append("abbreviation")
    return "+".join(member) or None
