"""The attributes of tokens, spelled out one by one: what the fast extraction is compared with."""

from structbench.datasets.text import templates


def attributes(sentences, used):
    """The attributes' names, a list a token, sentence by sentence: what ``templates.extract`` numbers."""
    names = list(sentences.columns)
    parsed = [(template, templates.parse(template, names)) for template in used]
    start = 0
    for length in sentences.lengths.tolist():
        cells = {name: sentences.columns[name][start : start + length] for name in names}
        tokens = [[] for _ in range(length)]
        for template, factors in parsed:
            for t in range(length):
                found = [cells[name][t + offset] for name, offset in factors if 0 <= t + offset < length]
                if len(found) == len(factors) and None not in found:
                    tokens[t].append(f"{template}={'|'.join(found)}")
        tokens[0].append(templates.BEGIN)
        tokens[-1].append(templates.END)
        yield tokens
        start += length


def write_crfsuite(sentences, used, label, file):
    """Write what CRFsuite reads: the column ``label``, then the attributes, separated by tabs."""
    labels = iter(sentences.columns[label])
    for tokens in attributes(sentences, used):
        for token in tokens:
            file.write("\t".join(field.translate(templates.ESCAPES) for field in (next(labels), *token)) + "\n")
        file.write("\n")
