"""`form.pdf`: an application with text fields, check boxes, radio buttons and a choice, partly filled in."""

from __future__ import annotations

from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import cm
from reportlab.pdfgen.canvas import Canvas

from . import fonts

WIDTH, HEIGHT = A4
INK, LINE = colors.HexColor("#1f2a36"), colors.HexColor("#8fa3ad")


def write(target: Path) -> None:
    """Writes the form: two pages, fields with appearance streams."""
    fonts.register()
    canvas = Canvas(str(target), pagesize=A4, invariant=1)
    canvas.setTitle("Application for a mooring")
    canvas.setAuthor("Harbour office")
    _applicant(canvas)
    canvas.showPage()
    _boat(canvas)
    canvas.save()


def _applicant(canvas: Canvas) -> None:
    _heading(canvas, "Application for a mooring", "1. The applicant")
    values = {
        "Family name": "Lindqvist",
        "Given name": "Åsa",
        "Street": "Strandvägen 12",
        "Town": "",
        "Telephone": "",
    }
    for row, (label, value) in enumerate(values.items()):
        _text_field(canvas, label, value, top=6.2 + 1.3 * row)
    _label(canvas, "Language of the reply", 13.4)
    canvas.acroForm.choice(
        name="language",
        tooltip="Language of the reply",
        value="Svenska",
        options=["Svenska", "English", "Suomi"],
        x=7.2 * cm,
        y=HEIGHT - 13.55 * cm,
        width=6 * cm,
        height=0.75 * cm,
        fontSize=10,
        borderColor=LINE,
        fillColor=colors.white,
    )
    for row, (name, label, checked) in enumerate(
        (
            ("resident", "I live in the municipality", True),
            ("previous", "I have had a mooring before", False),
            ("terms", "I have read the rules of the harbour", True),
        )
    ):
        y = HEIGHT - (15.4 + 0.9 * row) * cm
        canvas.acroForm.checkbox(
            name=name,
            tooltip=label,
            checked=checked,
            buttonStyle="check",
            x=2.5 * cm,
            y=y,
            size=14,
            borderColor=LINE,
            fillColor=colors.white,
        )
        canvas.setFont(fonts.SANS, 11)
        canvas.drawString(3.4 * cm, y + 3, label)


def _boat(canvas: Canvas) -> None:
    _heading(canvas, "Application for a mooring", "2. The boat")
    for row, label in enumerate(("Name of the boat", "Length over all", "Beam", "Draught")):
        _text_field(canvas, label, "", top=6.2 + 1.3 * row)
    _label(canvas, "Kind of boat", 12.1)
    for column, kind in enumerate(("sail", "motor", "rowing")):
        x = (7.2 + 3 * column) * cm
        canvas.acroForm.radio(
            name="kind",
            tooltip="Kind of boat",
            value=kind,
            selected=kind == "sail",
            x=x,
            y=HEIGHT - 12.15 * cm,
            size=14,
            shape="circle",
            buttonStyle="circle",
            borderColor=LINE,
            fillColor=colors.white,
        )
        canvas.setFont(fonts.SANS, 11)
        canvas.drawString(x + 0.7 * cm, HEIGHT - 12.05 * cm, kind)
    canvas.acroForm.textfield(
        name="remarks",
        tooltip="Remarks",
        fieldFlags="multiline",
        x=2.5 * cm,
        y=HEIGHT - 18 * cm,
        width=16 * cm,
        height=4.5 * cm,
        fontSize=10,
        borderColor=LINE,
        fillColor=colors.white,
    )


def _heading(canvas: Canvas, title: str, section: str) -> None:
    canvas.setFillColor(INK)
    canvas.setFont(fonts.SERIF, 22)
    canvas.drawString(2.5 * cm, HEIGHT - 3 * cm, title)
    canvas.setFont(fonts.SERIF, 14)
    canvas.drawString(2.5 * cm, HEIGHT - 4.4 * cm, section)
    canvas.setStrokeColor(LINE)
    canvas.line(2.5 * cm, HEIGHT - 4.7 * cm, WIDTH - 2.5 * cm, HEIGHT - 4.7 * cm)


def _label(canvas: Canvas, text: str, top: float) -> None:
    canvas.setFont(fonts.SANS, 11)
    canvas.drawString(2.5 * cm, HEIGHT - top * cm, text)


def _text_field(canvas: Canvas, label: str, value: str, top: float) -> None:
    _label(canvas, label, top)
    canvas.acroForm.textfield(
        name=label.lower().replace(" ", "_"),
        tooltip=label,
        value=value,
        x=7.2 * cm,
        y=HEIGHT - (top + 0.2) * cm,
        width=11.3 * cm,
        height=0.75 * cm,
        fontSize=10,
        borderColor=LINE,
        fillColor=colors.white,
    )
