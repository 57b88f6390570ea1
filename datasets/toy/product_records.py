"""Generate product records of made-up shops from 37 templates, after the web data of l1m3n2009, section 5.4.

Frozen before any model was trained on it. The paper's pages cannot be had. These have its numbers: 37 templates, 5
training and 10 test pages each, 1,585 and 3,391 records. All else is ours. A record is a tree of boxes: what a
shop shows of one product. Its template says where the image stands, the order of the fields, and how deep each is
wrapped. It says how fields are set and what their classes are called. A record drops fields, repeats wrappers and
misses attributes at random. Labels follow from the layout alone. Four attributes are looked for: Name, Image,
Price and Description. Any other leaf is Note, the root Record, an inner box above an attribute Block, any other
box Wrapper.

What makes it hard is here on purpose. Old prices, shipping costs and savings look like prices. Icons and stars are
images. Brands and categories look like names, reviews like descriptions. Classes are called the same in other
roles, say nothing, or occur in no other template. Some prices are words.
"""

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import NamedTuple

from structbench.datasets.web.boxes import Box

TEMPLATES, TRAIN_PAGES, TEST_PAGES = 37, 5, 10
TRAIN_RECORDS, TEST_RECORDS = 1585, 3391
ATTRIBUTES = ("Name", "Image", "Price", "Description")
LABELS = (*ATTRIBUTES, "Note", "Record", "Block", "Wrapper")
NAME_WORDS, TEXT_WORDS = 3000, 4000
SYLLABLES = (
    *("ka", "lo", "mi", "ru", "te", "san", "vor", "del"),
    *("pix", "qua", "nor", "zen", "ba", "ti", "mo", "gra"),
)

# role -> label, how often a template has it, how often a record of such a template has it, tags of its leaf
ROLES: dict[str, tuple[str, float, float, tuple[str, ...]]] = {
    "name": ("Name", 1.0, 1.0, ("a", "h3", "span", "b")),
    "image": ("Image", 1.0, 0.96, ("img",)),
    "price": ("Price", 1.0, 0.97, ("span", "div", "b", "td")),
    "description": ("Description", 0.9, 0.85, ("p", "div", "span")),
    "old price": ("Note", 0.45, 0.4, ("s", "span", "del")),
    "saving": ("Note", 0.3, 0.35, ("span", "b")),
    "shipping": ("Note", 0.4, 0.7, ("span", "div")),
    "stars": ("Note", 0.5, 0.8, ("img",)),
    "icon": ("Note", 0.35, 0.5, ("img",)),
    "brand": ("Note", 0.45, 0.85, ("a", "span")),
    "category": ("Note", 0.35, 0.9, ("a", "span")),
    "review": ("Note", 0.3, 0.5, ("p", "span")),
    "stock": ("Note", 0.5, 0.8, ("span", "div")),
    "number": ("Note", 0.4, 0.9, ("span", "td")),
    "buy": ("Note", 0.8, 0.95, ("a", "button", "img")),
    "more": ("Note", 0.5, 0.9, ("a",)),
}
CLASSES = {
    "name": ("title", "name", "product", "heading"),
    "image": ("img", "photo", "thumb", "pic"),
    "price": ("price", "amount", "cost", "value"),
    "description": ("desc", "text", "summary", "info"),
    "old price": ("price", "old", "was", "value"),
    "saving": ("save", "price", "off"),
    "shipping": ("ship", "info", "cost"),
    "stars": ("img", "rating", "stars"),
    "icon": ("icon", "img", "thumb"),
    "brand": ("brand", "name", "maker"),
    "category": ("cat", "heading", "path"),
    "review": ("text", "review", "quote"),
    "stock": ("stock", "info", "avail"),
    "number": ("sku", "value", "code"),
    "buy": ("buy", "button", "cart"),
    "more": ("more", "link", "info"),
}
PHRASES = {
    "saving": ("you save {price}", "{percent} off"),
    "shipping": ("free shipping", "shipping {price}", "plus {price} shipping"),
    "stock": ("in stock", "out of stock", "ships today", "only {digit} left"),
    "number": ("item {code}", "sku {code}", "{code}"),
    "buy": ("buy now", "add to cart", "order"),
    "more": ("more info", "details", "compare"),
}


class _Style(NamedTuple):
    """How a template sets one role."""

    tag: str
    css: str
    depth: int
    font: int
    bold: bool
    width: int
    height: int


class _Template(NamedTuple):
    order: tuple[str, ...]
    styles: dict[str, _Style]
    image_beside: bool
    groups: int
    wrapper: str
    currency: str


def records(part: str, seed: int) -> Iterator[Box]:
    """The records of all pages of the training or the test part, template by template and page by page."""
    templates = [_template(Random(f"template {seed} {number}"), number) for number in range(TEMPLATES)]
    pages, count = (TRAIN_PAGES, TRAIN_RECORDS) if part == "train" else (TEST_PAGES, TEST_RECORDS)
    rng = Random(f"pages {seed} {part}")
    sizes = _sizes(TEMPLATES * pages, count, rng)
    for page, size in enumerate(sizes):
        for _ in range(size):
            yield _record(templates[page // pages], rng)


def _sizes(pages: int, count: int, rng: Random) -> list[int]:
    """Records of each page, one at least, that add up to ``count``."""
    sizes = [1] * pages
    weights = [rng.uniform(0.5, 2) for _ in range(pages)]
    for page in rng.choices(range(pages), weights, k=count - pages):
        sizes[page] += 1
    return sizes


def _template(rng: Random, number: int) -> _Template:
    roles = [role for role, (_, often, _, _) in ROLES.items() if rng.random() < often]
    rng.shuffle(roles)
    if rng.random() < 0.7:  # most shops begin with the name, or with what stands above it
        roles.remove("name")
        roles.insert(rng.choice((0, 0, 1, 2)), "name")
    naming = rng.choices(("words", "short", "own", "none"), (4, 2, 3, 2))[0]
    return _Template(
        tuple(roles),
        {role: _style(role, naming, number, rng) for role in roles},
        rng.random() < 0.6,
        rng.choice((1, 2, 2, 3)),
        rng.choice(("div", "div", "td", "li", "span")),
        rng.choice(("$", "$", "$", "USD ", "")),
    )


def _style(role: str, naming: str, number: int, rng: Random) -> _Style:
    word = rng.choice(CLASSES[role])
    css = {"words": word, "short": word[0], "own": f"x{number}{rng.choice('abcdef')}", "none": ""}[naming]
    font = {"name": rng.choice((12, 14, 16)), "price": rng.choice((12, 14, 18))}.get(
        role, rng.choice((10, 11, 12))
    )
    image = role in ("image", "stars", "icon")
    size = {"image": rng.choice((80, 100, 120, 160)), "stars": 60, "icon": rng.choice((16, 24, 80))}.get(role, 0)
    width = size if image else rng.choice((120, 200, 320, 480))
    height = (12 if role == "stars" else size) if image else font + 4
    bold = rng.random() < {"name": 0.6, "price": 0.5}.get(role, 0.12)
    return _Style(rng.choice(ROLES[role][3]), css, rng.choice((0, 0, 1, 1, 2)), font, bold, width, height)


def _record(template: _Template, rng: Random) -> Box:
    fields = [role for role in template.order if rng.random() < ROLES[role][2]]
    leaves = {role: _field(role, template, rng) for role in fields}
    boxes = [leaves[role] for role in fields if not (role == "image" and template.image_beside)]
    cut = [round(len(boxes) * k / template.groups) for k in range(template.groups + 1)]
    groups = [_wrapped(tuple(boxes[a:b]), template, rng) for a, b in pairwise(cut) if b > a]
    if "image" in leaves and template.image_beside:
        groups.insert(0, leaves["image"])
    if rng.random() < 0.15:
        groups = [_wrapped(tuple(groups), template, rng)]
    return Box("Record", template.wrapper, "", children=tuple(groups), width=600, height=160)


def _wrapped(children: tuple[Box, ...], template: _Template, rng: Random) -> Box:
    above = any(child.label in (*ATTRIBUTES, "Block") for child in children)
    tag = template.wrapper if rng.random() < 0.7 else "div"
    width, height = max(child.width for child in children), sum(child.height for child in children)
    return Box("Block" if above else "Wrapper", tag, "", children=children, width=width, height=height)


def _field(role: str, template: _Template, rng: Random) -> Box:
    label, _, _, tags = ROLES[role]
    style = template.styles[role]
    tag = style.tag if rng.random() < 0.95 else rng.choice(tags)
    words = () if tag == "img" else tuple(_text(role, template, rng).split())
    lines = 1 + len(" ".join(words)) * style.font // (2 * max(style.width, 1))
    stretch = rng.uniform(0.8, 1.2) if tag == "img" else 1.0
    width, height = round(style.width * stretch), round(style.height * stretch * lines)
    box = Box(label, tag, style.css, words, width, height, font=style.font, bold=style.bold)
    for _ in range(style.depth + (rng.random() < 0.1)):
        box = _wrapped((box,), template, rng)
    return box


def _text(role: str, template: _Template, rng: Random) -> str:
    if role == "name":
        return _name(rng.randint(2, 7), rng)
    if role in ("price", "old price"):
        return _price(template, rng) if rng.random() < 0.97 else rng.choice(("call for price", "see in cart"))
    if role in ("brand", "category"):
        return _name(rng.randint(1, 3), rng)
    if role in ("description", "review"):
        return " ".join(_word(TEXT_WORDS, rng) for _ in range(rng.randint(4, 30)))
    phrase = rng.choice(PHRASES.get(role, ("",)))
    code = f"{rng.choice('abcdx')}-{rng.randint(100, 99999)}"
    percent, digit = f"{rng.randint(5, 60)}%", str(rng.randint(1, 9))
    return phrase.format(price=_price(template, rng), percent=percent, digit=digit, code=code)


def _name(count: int, rng: Random) -> str:
    words = [_word(NAME_WORDS, rng).capitalize() for _ in range(count)]
    if rng.random() < 0.3:
        words.append(f"{rng.choice('ABCDX')}{rng.randint(1, 900)}")
    return " ".join(words)


def _price(template: _Template, rng: Random) -> str:
    return f"{template.currency}{rng.randint(1, 999)}.{rng.choice(('99', '95', '00', '49'))}"


def _word(vocabulary: int, rng: Random) -> str:
    """One of ``vocabulary`` words, after Zipf: rank r has a share of about 1 / r. The syllables spell the rank."""
    rank = int(vocabulary ** rng.random())
    return "".join(SYLLABLES[(int(digit, 16) + vocabulary) % 16] for digit in f"{rank:02x}")
