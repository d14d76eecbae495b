"""A small library of our own: two books and a footnote, enough to ask and to miss."""

from __future__ import annotations

from jung_pipeline_tests.query.tiny_index import chain, row

FERRY = [
    "The ferryman of the northern lake keeps a lamp of blue glass. He lights it for travellers who have lost "
    "their names, and he asks no coin of them. What they leave behind in the boat is payment enough.",
    "A traveller who refuses the crossing hears his own footsteps behind him for seven years. The ferryman calls "
    "this sound the second shadow. It grows fainter whenever the traveller turns round to greet it.",
    "Ice on the lake is never silent. In the hour before dawn it sings with the voices of drowned bells, and the "
    "villagers count the notes to learn how hard the winter will be.",
    "The blue lamp was broken once, in the year of the long thaw. The ferryman's daughter gathered the splinters "
    "into her apron and sewed them into the hem of a curtain, where they still shine on feast days.",
    "No map shows the eastern landing. Those who arrive there report an orchard of white pears and a gatekeeper "
    "who speaks only in questions. The pears must not be eaten before the gatekeeper has been answered.",
    "When the ferryman grew old he taught the oars to his daughter. She learnt the currents by their colours: "
    "green for grief, brown for patience, and a thin silver thread for joy that must be followed at once.",
]
MIRROR = [
    "Dreams of mirrors divide into three kinds. In the first the face is younger, in the second it is a stranger's, "
    "and in the third there is no face at all. Only the third kind asks for interpretation.",
    "Patients who polish the mirror in their dream are preparing a confession. The cloth they use matters more than "
    "the glass: linen stands for the mother's house, wool for the debt that was never spoken of.",
    "An empty mirror frightens the dreamer because it grants his secret wish. He has wanted not to be seen, and now "
    "he is obeyed. The analyst should wait until the dreamer notices the frame.",
    "The frame of the dream mirror is made of what the dreamer owns by day. A merchant dreamt of a frame of ledgers; "
    "a nun, of one plaited from her own hair.",
    "Children seldom dream of mirrors before their seventh year. When they do, the mirror is usually a pond and "
    "somebody calls them home from it by a name that nobody uses any more.",
    "Broken mirrors in dreams are not omens. They are drafts: the dreamer tries several faces and discards them. "
    "Counting the pieces is useless, but asking which piece was kept is not.",
]
SCHATTEN = [
    "Der Schatten eines Menschen wird länger, je tiefer sein Licht steht. Wer ihn abschneiden will, verliert die "
    "Füße mit. Im Traum geht er voraus und öffnet die Türen, vor denen der Träumer zögert.",
    "Das Tagebuch eines Träumers soll keine Deutungen enthalten. Es genügt, die Farben der Türen aufzuschreiben und "
    "den Namen dessen, der den Schlüssel trug.",
]
NOTE = "On linen and wool compare the inventory of the ferryman's house, where both lie in the same chest."


def rows():
    """The library as rows of the chunk table."""
    ferry = [
        row(
            f"ferry#{i:02}",
            text,
            work_title="The Blue Lamp",
            author="Ada Holm",
            page_first=i + 1,
            page_last=i + 1,
        )
        for i, text in enumerate(FERRY)
    ]
    mirror = [
        row(
            f"mirror#{i:02}",
            text,
            work_title="On Dream Mirrors",
            author="Ulrich Sand",
            chapter="Chapter II: The Frame" if i > 2 else "Chapter I: The Glass",
            concepts=["dream", "mirror"] if i % 2 else ["dream"],
            label_first=str(40 + i),
            label_last=str(40 + i),
            page_first=52 + i,
            page_last=52 + i,
            numbered_first=str(101 + i),
            numbered_last=str(101 + i),
        )
        for i, text in enumerate(MIRROR)
    ]
    shadow = [
        row(f"schatten#{i:02}", text, work_title="Vom Schatten", author="Ada Holm", language="de")
        for i, text in enumerate(SCHATTEN)
    ]
    return [
        *chain([*ferry, *mirror, *shadow]),
        row("mirror#n0", NOTE, work_title="On Dream Mirrors", author="Ulrich Sand", kind="note"),
        # The same passage printed again in a second volume.
        row(
            "reader#00",
            MIRROR[2],
            work_title="A Reader",
            author="Ulrich Sand",
            label_first="7",
            label_last="7",
        ),
    ]
