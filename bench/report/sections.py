"""A paper's page in sections: claims, and under them the figures that decide them."""

from typing import Any

from structbench.bench.report import origin

ORDER = list(origin.ORIGINS)


def of(paper: dict[str, Any]) -> list[dict[str, Any]]:
    """The sections, those on the paper's own data first; each claim and each figure is in one of them.

    Claims that read a same figure share a section. Figures that no claim reads come last of their origin, whose
    place among origins is ``place``.
    """
    drawn = {figure["stem"]: figure for figure in paper["figures"]}
    found: list[dict[str, Any]] = []
    places: dict[str, dict[str, Any]] = {}  # stem -> section
    for claim in paper["claims"]:
        stems = [stem for stem in claim["figures"] if stem in drawn]
        section = next((places[stem] for stem in stems if stem in places), None)
        if section is None:
            alone = next((each for each in found if not each["figures"] and not stems), None)
            section = alone or {"origin": claim["origin"], "claims": [], "figures": []}
            found += [] if alone else [section]
        section["claims"].append(claim)
        section["figures"] += [drawn[stem] for stem in stems if stem not in places]
        places |= {stem: section for stem in stems if stem not in places}
    for kind in ORDER:
        others = [each for stem, each in drawn.items() if stem not in places and each["origin"] == kind]
        found += [{"origin": kind, "claims": [], "figures": others}] if others else []
    for section in found:
        section["place"] = ORDER.index(section["origin"])
    return sorted(found, key=lambda section: (section["place"], not section["claims"]))
