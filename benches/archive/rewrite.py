"""Writes files with pikepdf for `verdicts.py`: rewritten files, files marked as PDF/A, and files with one change."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, String

ICC = "/usr/share/color/icc/ghostscript/srgb.icc"


def anew(folder: Path) -> None:
    """Writes Ghostscript's files again, with other metadata, and with each way of saving."""
    modes = pikepdf.ObjectStreamMode
    for index, document in enumerate(sorted(folder.glob("gs*.pdf"))):
        part = document.name[2]
        # PDF/A-1 is based on PDF 1.4, which has no object streams.
        packed = modes.disable if part == "1" else modes.generate
        with pikepdf.open(document) as made:
            with made.open_metadata() as metadata:
                metadata["dc:title"] = "Written anew"
                metadata["pdf:Keywords"] = "one, two"
            target = folder / f"pikepdf{part}b-{document.name}"
            made.save(target, object_stream_mode=packed, linearize=index % 2 == 1)


def dressed(documents: list[Path], folder: Path) -> None:
    """Adds the PDF/A identification and an output intent to documents, and meets no other requirement of PDF/A."""
    for index, document in enumerate(documents):
        part = str(index % 3 + 1)
        try:
            with pikepdf.open(document) as made:
                mark_as_pdfa(made, part)
                modes = pikepdf.ObjectStreamMode
                packed = modes.disable if part == "1" else modes.preserve
                target = folder / f"pikepdf{part}b-dressed-{document.stem[-60:]}.pdf"
                made.save(target, object_stream_mode=packed)
        except (pikepdf.PdfError, pikepdf.PasswordError, RuntimeError, ValueError):
            continue


def mark_as_pdfa(document: Pdf, part: str) -> None:
    """Marks a document as PDF/A, with sRGB as the output intent."""
    with document.open_metadata() as metadata:
        metadata.load_from_docinfo(document.docinfo)
        metadata["pdfaid:part"] = part
        metadata["pdfaid:conformance"] = "B"
    profile = document.make_stream(Path(ICC).read_bytes(), N=3)
    intent = Dictionary(
        Type=Name.OutputIntent, S=Name.GTS_PDFA1, OutputConditionIdentifier="sRGB", DestOutputProfile=profile
    )
    document.Root.OutputIntents = Array([document.make_indirect(intent)])


def changed(folder: Path) -> None:
    """Makes one change in each file of the other converters. The changes are used in turn."""
    turn = itertools.cycle(CHANGES)
    modes = pikepdf.ObjectStreamMode
    documents = [path for name in ("gs", "krilla", "office") for path in sorted(folder.glob(f"{name}*.pdf"))]
    for index, document in enumerate(documents):
        maker = document.name.split("-")[0]
        level = f"{maker[2]}b" if maker.startswith("gs") else maker[-2:]
        if level[0] not in "123":
            continue
        # Make the next change that is possible in this document. A document without text, for example, has no fonts.
        for change in itertools.islice(turn, len(CHANGES)):
            with pikepdf.open(document) as made:
                if change(made):
                    packed = modes.disable if level[0] == "1" or index % 2 else modes.generate
                    target = folder / f"pikepdf{level}-{change.__name__}-{document.stem[-50:]}.pdf"
                    made.save(target, object_stream_mode=packed)
                    break


def dictionaries(document: Pdf, wanted: str) -> Iterator[pikepdf.Object]:
    """The dictionaries and streams of a type or subtype."""
    for item in document.objects:
        if isinstance(item, (pikepdf.Dictionary, pikepdf.Stream)) and wanted in (
            item.get("/Type"),
            item.get("/Subtype"),
        ):
            yield item


def without(wanted: str, key: str) -> Callable[[Pdf], bool]:
    """A change that removes a key from the first dictionary of a kind that has the key."""

    def change(document: Pdf) -> bool:
        for item in dictionaries(document, wanted):
            if key in item:
                del item[key]
                return True
        return False

    change.__name__ = f"without{key[1:]}"
    return change


def having(wanted: str, key: str, value: Callable[[Pdf], object]) -> Callable[[Pdf], bool]:
    """A change that sets a key in the first dictionary of a kind."""

    def change(document: Pdf) -> bool:
        item = next(dictionaries(document, wanted), None)
        if item is None:
            return False
        item[key] = value(document)
        return True

    change.__name__ = f"{wanted[1:]}with{key[1:]}"
    return change


def metadata(name: str, value: str | None) -> Callable[[Pdf], bool]:
    """A change of one property of the metadata; the document information keeps the old value."""

    def change(document: Pdf) -> bool:
        with document.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as properties:
            if value is None:
                if name not in properties:
                    return False
                del properties[name]
            else:
                properties[name] = value
        return True

    change.__name__ = f"metadata{name.replace(':', '')}{'' if value else 'gone'}"
    return change


def wider(document: Pdf) -> bool:
    """Adds five units to a width of each simple font."""
    fonts = [font for font in dictionaries(document, "/Font") if "/Widths" in font]
    for font in fonts:
        for index, width in enumerate(font.Widths):
            if width:
                font.Widths[index] = width + 5
    return bool(fonts)


def narrower(document: Pdf) -> bool:
    """Gives all glyphs of composite fonts the default width."""
    fonts = [
        font for font in document.objects if isinstance(font, Dictionary) and "/DW" in font and "/W" in font
    ]
    for font in fonts:
        font.W = Array([])
        font.DW = 321
    return bool(fonts)


def shorter(document: Pdf) -> bool:
    """Removes the last name from a font's list of glyphs."""
    for item in dictionaries(document, "/FontDescriptor"):
        names = str(item.get("/CharSet", "")).split("/")
        if len(names) > 2:
            item.CharSet = String("/".join(names[:-1]))
            return True
    return False


def script(document: Pdf) -> bool:
    """Makes the document run a script when it is opened."""
    document.Root.OpenAction = Dictionary(S=Name.JavaScript, JS="1")
    return True


def translucent(document: Pdf) -> bool:
    """Paints with an opacity of one half."""
    page = document.pages[0]
    page.add_resource(Dictionary(ca=0.5, Type=Name.ExtGState), Name.ExtGState, Name("/Half"))
    page.contents_add(b"/Half gs ", prepend=True)
    return True


def device(document: Pdf) -> bool:
    """Paints in DeviceCMYK."""
    document.pages[0].contents_add(b"q 0.1 0.2 0.3 0 k 0 0 9 9 re f Q ", prepend=True)
    return True


def unknown(document: Pdf) -> bool:
    """Uses an undefined operator."""
    document.pages[0].contents_add(b"q nonsense Q ", prepend=True)
    return True


def attached(document: Pdf) -> bool:
    """Attaches a file without its relationship to the document."""
    document.attachments["note.txt"] = b"a note"
    return True


def noted(document: Pdf) -> bool:
    """Adds a note without an appearance to a page."""
    note = Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=Array([0, 0, 9, 9]), Contents="a note")
    page = document.pages[0].obj
    page.Annots = Array([*page.get("/Annots", []), document.make_indirect(note)])
    return True


def layered(document: Pdf) -> bool:
    """Adds an optional content group."""
    group = document.make_indirect(Dictionary(Type=Name.OCG, Name="Layer"))
    document.Root.OCProperties = Dictionary(OCGs=Array([group]), D=Dictionary(Order=Array([group])))
    return True


def unmarked(document: Pdf) -> bool:
    """Removes the structure tree."""
    if "/StructTreeRoot" not in document.Root:
        return False
    del document.Root.StructTreeRoot
    return True


CHANGES: list[Callable[[Pdf], bool]] = [
    without("/Catalog", "/Metadata"),
    without("/Catalog", "/OutputIntents"),
    without("/Catalog", "/MarkInfo"),
    without("/Font", "/ToUnicode"),
    without("/Font", "/Widths"),
    without("/Font", "/FirstChar"),
    without("/Font", "/Encoding"),
    without("/FontDescriptor", "/FontFile2"),
    without("/FontDescriptor", "/FontFile3"),
    without("/FontDescriptor", "/CharSet"),
    without("/FontDescriptor", "/CIDSet"),
    without("/CIDFontType2", "/CIDToGIDMap"),
    without("/CIDFontType2", "/CIDSystemInfo"),
    without("/Link", "/F"),
    without("/OutputIntent", "/DestOutputProfile"),
    having("/Image", "/Interpolate", lambda _: True),
    having("/Image", "/Intent", lambda _: Name.Guess),
    having("/Image", "/Alternates", lambda _: Array([])),
    having("/Link", "/CA", lambda _: 0.5),
    having("/Link", "/A", lambda _: Dictionary(S=Name.Launch, F="a")),
    having("/Link", "/A", lambda _: Dictionary(S=Name.Named, N=Name.Print)),
    having("/Page", "/AA", lambda _: Dictionary(O=Dictionary(S=Name.GoTo, D=Array([0])))),
    having("/Page", "/Group", lambda _: Dictionary(S=Name.Transparency, CS=Name.DeviceCMYK)),
    having("/Catalog", "/NeedsRendering", lambda _: True),
    having("/Catalog", "/Requirements", lambda _: Array([])),
    having("/Catalog", "/Lang", lambda _: String("no language at all")),
    having("/Catalog", "/AcroForm", lambda _: Dictionary(Fields=Array([]), NeedAppearances=True)),
    having("/ExtGState", "/TR", lambda _: Name.Identity),
    having("/ExtGState", "/BM", lambda _: Name.Dissolve),
    having("/StructTreeRoot", "/RoleMap", lambda _: Dictionary(P=Name.Q, Q=Name.P)),
    metadata("pdfaid:part", "4"),
    metadata("pdfaid:conformance", "X"),
    metadata("pdfaid:part", None),
    metadata("dc:title", "Another title"),
    metadata("pdf:Producer", "Another producer"),
    metadata("xmp:CreateDate", "2001-02-03T04:05:06Z"),
    metadata("pdf:Unheard", "of"),
    wider,
    narrower,
    shorter,
    script,
    translucent,
    device,
    unknown,
    attached,
    noted,
    layered,
    unmarked,
]
