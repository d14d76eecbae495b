"""Abbreviations of scholarly English, German and Latin, sorted by what a full stop after them means.

Each list is written without the last stop, in lower case where case does not matter: ``word`` stands for
``word`` and ``Word``. Spaced forms ("z. B.") are looked up closed ("z.b"). The lists were put together
from the abbreviation tables that style guides and editions of this literature print (titles, parts of
books, citation words, languages, journals), not from any one book.
"""

from __future__ import annotations

from functools import cache

#: Something always follows: a title waits for its name, "cf." for its reference, "i.e." for its gloss.
CONTINUES = """
    dr drs prof profs mr mrs ms messrs mme mmes mlle mlles rev hon ven bp abp capt lt sgt maj gov supt
    st ste sts mt ft brig cmdr sen frl frhr hr hrn hrrn hl dipl ing priv.-doz privatdoz geh med.-rat
    cf cfr cp vgl vergl viz sc scil i.e e.g z.b d.h d.i d.s i.a u.u m.e m.a.w s.o s.u s.a s.v s.l s.d o.g o.ä.d
    vs bzw resp ca circa evtl event ggf gegebenenf insbes bes sog sogen sogenn eigtl eig näml
    vol vols pp pars paras nos chs secs sects nn fols eds
    bd bde bdn abb abbn kap anm aufl ausg hrsg hg hgg jg jahrg abt abschn taf bl fn fußn fussn verl
    op loc ges coll zit übers transl trans introd suppl ebda
    griech lat hebr engl frz franz fr dt russ sanskr skt skr arab aram syr pers ahd mhd nhd idg
    gr heb geb gest verh verst wörtl urspr übertr bibliogr
    ztschr zschr zeitschr zs jahrb zentralbl zbl monatsschr mschr journ proc
    psych psychol psychiat psychiatr psychoanalyt psychopathol pathol philos physiol phys allg gesch wiss forsch
    inaug diss grundz grundr mythol herm neurol pag pagg
"""

#: As ``CONTINUES``, but only with a number, a Roman numeral or a single letter behind; else a plain word
#: ("He said no.", "dieser Art.", "the id.").
NUMBERED = """
    no nr par para p s v n l c b f ch chap chaps sec sect fig figs art arts cap
    approx repr rpt
    cols bks pts lib col fol ill illus tab pl pt bk ser app
    id ed ll vv ss sq hymn ps psalm aphor epist ep gen exod ex lev num deut josh judg sam kgs chron
    isa jer ezek dan hos mic hab zech mal matt mk lk joh rom cor gal eph phil col thess tim heb jas pet apoc
    jan feb febr mar apr jun jul aug sept sep oct nov dec okt dez cod ms mss cw gw rev
    mill mrd tsd kg km cm mm min std sek
"""

#: May end a sentence: it does when a word follows that only begins sentences.
EITHER = """
    al et.al ibid ebd ib cit op.cit loc.cit l.c o.c a.a.o a.d b.c b.c.e c.e a.m p.m n.chr v.chr
    jr sr esq co inc ltd bros u.s u.s.a u.k ph.d m.d b.a m.a d.d ll.d d.litt s.j o.s.b
    u.a u.ä u.dgl u.drgl dgl dergl desgl a.d.h passim inkl exkl einschl entspr betr
    jh jhd jhdt jhs univ dept assn assoc inst str z.t z.zt
    lit arch bull jour ital span e.v g.m.b.h m.b.h sq sqq seq ff et.seq
"""

#: As ``EITHER``, but outside German any capital that follows begins a sentence.
CLOSES = """
    etc usw usf u.s.w u.s.f &c ff sqq
"""

#: Words that begin a sentence and are no names. "An", "May", "Will" and the like are left out on purpose.
STARTERS = frozenset(
    """
    The They He She It This That These Those There Then Thus Therefore But And Or Nor Yet So For If In On At As
    We You Our Their His Her Its My Your What When Where Which Who Whom Whose Why How However Hence Here
    While Whereas Although Though Because Since After Before From To Of By With Without Within Not No Now
    Nothing Never Even Every Everything Each Some Something Such Many Most Much More All Another Both Once
    Only One Two Three Let Moreover Furthermore Nevertheless Nonetheless Indeed Again Also Perhaps Finally First
    Second Secondly Thirdly Is Are Was Were Did Does Has Have Had Can Could Should Would Must Other Others
    Accordingly Consequently Certainly Instead Likewise Meanwhile Otherwise Sometimes Similarly Still Through
    Under Upon Until Unless Very Between During Concerning Compare See Out Over Neither Either Later
    Der Die Das Den Dem Des Ein Eine Einen Einem Einer Eines Er Sie Es Wir Ihr Ich Man Dies Diese Dieser Dieses
    Diesem Diesen Jener Jene Jenes Im Am Auf Aus Bei Beim Durch Für Gegen Mit Nach Ohne Seit Über Um Unter Von
    Vom Vor Zu Zum Zur Zwischen Wenn Als Wie Was Wer Wo Warum Weil Da Daß Dass Dann Denn Doch Aber Allein Also
    Auch Noch Nur Nun Schon Sonst Und Oder Sondern Trotzdem Dennoch Deshalb Daher Darum Damit Dabei Dadurch
    Dagegen Danach Daraus Darauf Darin Davon Dazu Hier Hierin Hieraus Hierbei Hierzu Ebenso Endlich Ferner
    Freilich Gewiß Indem Insofern Jetzt Kein Keine Manche Mein Meine Nachdem Nicht Nichts Ob Obwohl Obschon
    Sein Seine Ihre Sobald Solche Unser Unsere Viele Vielleicht Während Wäre Weder Weiter Welche Wird Wirklich
    Wohl Zuerst Zunächst Zwar Ist Sind War Waren Hat Haben Hatte Kann Können Muß Muss Soll Etwas Alle Alles
    Andere Andererseits Anders Beide Bekanntlich Bereits Bisher Ebenfalls Eben Immer Immerhin Jede Jeder Jedes
    Jedoch Gerade Ganz Natürlich Namentlich So Solange Somit Statt Überhaupt Übrigens Vielmehr Zudem Zugleich
    """.split()  # noqa: SIM905 (a table to read)
)

#: What an ordinal in German stands before: "am 3. Mai", "im 19. Jahrhundert", "die 2. Auflage".
ORDINAL_NOUNS = frozenset(
    """
    Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember Jan Feb Febr Apr
    Aug Sept Okt Nov Dez Jahrhundert Jahrhunderts Jahrhunderte Jahrhunderten Jahrtausend Jahrtausends Jh Jhd
    Kapitel Kapitels Kapiteln Band Bandes Bd Auflage Auflagen Aufl Ausgabe Teil Teiles Teils Abschnitt Abschnitts
    Buch Buches Akt Aktes Szene Szenen Aufzug Vorlesung Vorlesungen Vortrag Lebensjahr Lebensjahre Lebensjahres
    Lebensmonat Jahr Jahre Jahres Jahrgang Jahrg Monat Monats Tag Tage Tages Woche Stunde Grad Grades Klasse Stufe
    Reihe Folge Heft Gesang Vers Strophe Psalm Mal Sitzung Sitzungen Traum Traumes Versuch Versuchsperson Fall
    Brief Paragraph Punkt Satz Tabelle Gruppe Gebot Gebotes Mose Makkabäer Korinther
    """.split()  # noqa: SIM905
)

#: Words before a number that make it an ordinal in German when a capitalised noun follows.
ORDINAL_LEADS = frozenset(
    "am vom im beim zum zur bis der die das des dem den ein eine einen einem einer eines und oder seit ab".split()  # noqa: SIM905
)

#: Capitalised they are titles before a name, else as in ``NUMBERED``: "Col. Olcott", "Gen. Booth", "Rev. Good".
TITLES = frozenset(("Gen", "Col", "Rev", "Ph"))

#: Verbs after a quoted question or exclamation that belong to its sentence: “Why?” Freud asked.
SPEECH_VERBS = frozenset(
    """
    said says asked asks cried cries replied replies answered answers exclaimed exclaims shouted called thought
    thinks wrote writes murmured whispered remarked continued added returned retorted repeated demanded
    inquired enquired responded laughed sighed screamed begged
    sagte sagt fragte fragt rief ruft antwortete antwortet schrie schreit dachte denkt schrieb schreibt
    erwiderte entgegnete meinte flüsterte bemerkte sprach spricht
    """.split()  # noqa: SIM905
)


@cache
def classes() -> dict[str, str]:
    """Abbreviation (lower case, closed, no last stop) to ``continues``, ``numbered``, ``either``, ``closes``.

    A word in several lists takes the last class named here that holds it.
    """
    table: dict[str, str] = {}
    for name, words in (
        ("numbered", NUMBERED),
        ("continues", CONTINUES),
        ("either", EITHER),
        ("closes", CLOSES),
    ):
        table.update(dict.fromkeys(words.split(), name))
    return table


@cache
def long_tails() -> frozenset[str]:
    """The last four letters of the longer abbreviations, to tell them from plain words at a glance."""
    return frozenset(word[-4:] for word in classes() if len(word) >= 4)
