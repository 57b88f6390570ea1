"""Which child of an English constituent is its head: the rules of Collins (1999, appendix A), after Magerman."""

from structbench.datasets.text.trees import Leaf, Node

LEFT, RIGHT = False, True

# Label -> from which side to look for the first of these names that is there, or else the first child on that
# side.
RULES = {
    "ADJP": (LEFT, "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": (RIGHT, "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": (RIGHT, "CC RB IN"),
    "FRAG": (RIGHT, ""),
    "LST": (RIGHT, "LS :"),
    "NAC": (LEFT, "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "PP": (RIGHT, "IN TO VBG VBN RP FW"),
    "PRT": (RIGHT, "RP"),
    "QP": (LEFT, "$ IN NNS NN JJ RB DT CD QP JJR JJS"),
    "RRC": (RIGHT, "VP NP ADVP ADJP PP"),
    "S": (LEFT, "TO IN VP S SBAR ADJP UCP NP"),
    "SBAR": (LEFT, "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": (LEFT, "SQ S SINV SBARQ FRAG"),
    "SINV": (LEFT, "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": (LEFT, "VBZ VBD VBP VB MD VP SQ"),
    "UCP": (RIGHT, ""),
    "VP": (LEFT, "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
    "WHADJP": (LEFT, "CC WRB JJ ADJP"),
    "WHADVP": (RIGHT, "CC WRB"),
    "WHNP": (LEFT, "WDT WP WP$ WHADJP WHPP WHNP"),
    "WHPP": (RIGHT, "IN TO FW"),
}
# Of noun phrases: from which side to look for the first child that is one of these.
NOUN_PHRASES = (
    (RIGHT, "NN NNP NNPS NNS NX POS JJR"),
    (LEFT, "NP"),
    (RIGHT, "$ ADJP PRN"),
    (RIGHT, "CD"),
    (RIGHT, "JJ JJS RB QP"),
)


def head_child(label: str, children: list[str]) -> int:
    """Which of the children, given by their labels and parts of speech, is the head; 0 or more."""
    if label in ("NP", "NX"):
        for side, names in NOUN_PHRASES:
            if found := [k for k, child in enumerate(children) if child in names.split()]:
                return found[-1] if side == RIGHT else found[0]
        return len(children) - 1
    side, names = RULES.get(label, (LEFT, ""))
    order = children[:: -1 if side == RIGHT else 1]
    first = next((order.index(name) for name in names.split() if name in order), 0)
    return len(order) - 1 - first if side == RIGHT else first


def head_tag(tree: Node | Leaf) -> str:
    """The part of speech of a tree's head word: the head child's, and so on down."""
    while isinstance(tree, Node):
        names = [child.label if isinstance(child, Node) else child.tag for child in tree.children]
        tree = tree.children[head_child(tree.label, names)]
    return tree.tag
