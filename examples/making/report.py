"""`report.pdf`: an illustrated annual report as an office program exports it.

Photographs at camera resolution, four typefaces embedded whole and one subset, charts, a long table, a logo with
transparency, a screen shot, links, bookmarks and metadata.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from reportlab.graphics.charts.barcharts import VerticalBarChart
from reportlab.graphics.charts.lineplots import LinePlot
from reportlab.graphics.charts.piecharts import Pie
from reportlab.graphics.shapes import Drawing, String
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import cm, mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)
from reportlab.platypus.tableofcontents import TableOfContents

from . import fonts, photograph

TITLE = "Highland Waters: a Year of Measurements"
WIDTH, HEIGHT = A4
INK, ACCENT, PALE = colors.HexColor("#1f2a36"), colors.HexColor("#1c6e8c"), colors.HexColor("#e6eef2")

BODY = ParagraphStyle("body", fontName=fonts.SANS, fontSize=10.5, leading=15, textColor=INK, spaceAfter=7)
HEADING = ParagraphStyle(
    "heading", fontName=fonts.SERIF, fontSize=22, leading=27, textColor=ACCENT, spaceAfter=12
)
CAPTION = ParagraphStyle("caption", parent=BODY, fontName=fonts.SANS_ITALIC, fontSize=8.5, leading=11)
OTHER_SCRIPTS = ParagraphStyle("scripts", parent=BODY, fontName=fonts.INTERNATIONAL)


def write(target: Path) -> None:
    """Writes the report."""
    fonts.register()
    document = _Report(str(target), pagesize=A4, title=TITLE, author="Highland Waters Survey", invariant=1)
    document.subject, document.creator = "Annual report", "Office program"
    document.keywords = "water, lakes, survey, report"
    document.multiBuild(_story())


class _Report(BaseDocTemplate):  # type: ignore[misc]
    """Cover and body pages; headings become bookmarks and lines of the table of contents."""

    def __init__(self, *arguments: object, **settings: object) -> None:
        super().__init__(*arguments, **settings)
        frame = Frame(2.2 * cm, 2.2 * cm, WIDTH - 4.4 * cm, HEIGHT - 4.8 * cm, id="body")
        self.logo = ImageReader(_logo())
        self.cover = ImageReader(io.BytesIO(photograph.jpeg(photograph.lake(2480, 1520))))
        self.addPageTemplates(
            [
                PageTemplate("cover", frames=[frame], onPage=self._draw_cover),
                PageTemplate("body", frames=[frame], onPage=self._draw_body),
            ]
        )

    def afterFlowable(self, flowable: Flowable) -> None:
        if isinstance(flowable, Paragraph) and flowable.style is HEADING:
            title, key = flowable.getPlainText(), f"chapter-{self.page}"
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(title, key, level=0)
            self.notify("TOCEntry", (0, title, self.page, key))

    def _draw_cover(self, canvas: Canvas, _: BaseDocTemplate) -> None:
        height = WIDTH * 1520 / 2480
        canvas.drawImage(self.cover, 0, HEIGHT - height, WIDTH, height)
        canvas.setFillColor(ACCENT)
        canvas.rect(0, HEIGHT - height - 3 * mm, WIDTH, 3 * mm, stroke=0, fill=1)
        canvas.setFillColor(INK)
        canvas.setFont(fonts.SERIF, 34)
        canvas.drawString(2.2 * cm, HEIGHT - height - 3 * cm, "Highland Waters")
        canvas.setFont(fonts.SANS, 17)
        canvas.drawString(2.2 * cm, HEIGHT - height - 4.1 * cm, "A year of measurements in thirty-six lakes")
        canvas.drawImage(self.logo, 2.2 * cm, 2.2 * cm, 2.6 * cm, 2.6 * cm, mask="auto")
        canvas.setFont(fonts.SANS_BOLD, 11)
        canvas.drawString(5.3 * cm, 3.4 * cm, "Annual report of the survey")

    def _draw_body(self, canvas: Canvas, document: BaseDocTemplate) -> None:
        canvas.drawImage(self.logo, WIDTH - 3.4 * cm, HEIGHT - 1.9 * cm, 1.2 * cm, 1.2 * cm, mask="auto")
        canvas.setStrokeColor(ACCENT)
        canvas.line(2.2 * cm, HEIGHT - 2.1 * cm, WIDTH - 2.2 * cm, HEIGHT - 2.1 * cm)
        canvas.setFillColor(INK)
        canvas.setFont(fonts.SANS_ITALIC, 9)
        canvas.drawString(2.2 * cm, HEIGHT - 1.8 * cm, TITLE)
        canvas.drawCentredString(WIDTH / 2, 1.3 * cm, f"{document.page}")


class _Photograph(Flowable):  # type: ignore[misc]
    """A photograph; with `crop`, only a window of it shows, as after cropping in an office program."""

    def __init__(self, jpeg: bytes, width: float, height: float, crop: float = 0.0) -> None:
        super().__init__()
        self.image, self.width, self.height, self.crop = ImageReader(io.BytesIO(jpeg)), width, height, crop

    def wrap(self, *_: object) -> tuple[float, float]:
        return self.width, self.height

    def draw(self) -> None:
        canvas = self.canv
        canvas.saveState()
        if self.crop:
            window = canvas.beginPath()
            window.roundRect(0, 0, self.width, self.height, 4 * mm)
            canvas.clipPath(window, stroke=0)
        grown = 1 + 2 * self.crop
        canvas.drawImage(
            self.image,
            -self.width * self.crop,
            -self.height * self.crop,
            self.width * grown,
            self.height * grown,
        )
        canvas.restoreState()


def _story() -> list[Flowable]:
    contents = TableOfContents(levelStyles=[ParagraphStyle("contents", parent=BODY, leading=20)])
    wide = WIDTH - 4.4 * cm - 12
    meadow = photograph.jpeg(photograph.meadow(1700, 1130), quality=92, dpi=260)
    harbour = photograph.jpeg(photograph.harbour(1600, 1200), quality=88, dpi=500)
    pair = Table(
        [
            [
                _Photograph(harbour, wide * 0.48, wide * 0.36),
                _Photograph(harbour, wide * 0.48, wide * 0.36, crop=0.45),
            ]
        ]
    )
    return [
        NextPageTemplate("body"),
        PageBreak(),
        Paragraph("Contents", ParagraphStyle("contents-heading", parent=HEADING)),
        contents,
        Spacer(0, 10 * mm),
        *_paragraphs(FOREWORD),
        PageBreak(),
        Paragraph("The season in the field", HEADING),
        *_paragraphs(FIELD[:2]),
        _Photograph(meadow, wide, wide * 1130 / 1700),
        Spacer(0, 2 * mm),
        Paragraph("The upper meadow in June, from the station of the survey.", CAPTION),
        *_paragraphs(FIELD[2:]),
        PageBreak(),
        Paragraph("What the year showed", HEADING),
        *_paragraphs(RESULTS),
        _bar_chart(wide),
        Spacer(0, 4 * mm),
        _line_chart(wide),
        Spacer(0, 4 * mm),
        _pie_chart(wide),
        PageBreak(),
        Paragraph("The lower harbour at night", HEADING),
        *_paragraphs(HARBOUR),
        pair,
        Spacer(0, 2 * mm),
        Paragraph("Left, the whole view; right, the lights of the eastern pier.", CAPTION),
        Spacer(0, 6 * mm),
        _Photograph(_screen_shot(), wide, wide * 0.5),
        Spacer(0, 2 * mm),
        Paragraph("The survey's console on the evening of the last sampling.", CAPTION),
        PageBreak(),
        Paragraph("All stations", HEADING),
        _table(),
        PageBreak(),
        Paragraph("Sources and thanks", HEADING),
        *_paragraphs(SOURCES),
        Paragraph(
            "With thanks to our partners: Λίμνες της Ηπείρου, Ιωάννινα; Озёра Карелии, Петрозаводск; "
            "Jeziora Mazurskie, Giżycko; Þingvallavatn, Ísland.",
            OTHER_SCRIPTS,
        ),
    ]


def _paragraphs(texts: list[str]) -> list[Flowable]:
    return [Paragraph(text, BODY) for text in texts]


def _bar_chart(width: float) -> Drawing:
    drawing, chart = Drawing(width, 120), VerticalBarChart()
    chart.x, chart.y, chart.width, chart.height = 30, 20, width - 40, 85
    chart.data = [
        [42, 47, 55, 61, 68, 74, 79, 77, 66, 58, 49, 43],
        [38, 41, 52, 60, 66, 71, 80, 81, 69, 55, 47, 40],
    ]
    chart.categoryAxis.categoryNames = list("JFMAMJJASOND")
    chart.categoryAxis.labels.fontName = chart.valueAxis.labels.fontName = fonts.SANS
    chart.valueAxis.valueMin = 0
    chart.bars[0].fillColor, chart.bars[1].fillColor = ACCENT, colors.HexColor("#e0a458")
    drawing.add(chart)
    drawing.add(String(0, 110, "Inflow, million cubic metres", fontName=fonts.SANS_BOLD, fontSize=9))
    return drawing


def _line_chart(width: float) -> Drawing:
    rng = np.random.default_rng(5)
    drawing, chart = Drawing(width, 120), LinePlot()
    chart.x, chart.y, chart.width, chart.height = 30, 15, width - 40, 90
    days = np.arange(0, 365, 2)
    chart.data = [
        [(int(day), float(base + 6 * np.sin((day - 110) / 58) + rng.normal(0, 0.5))) for day in days]
        for base in (9, 11.5, 14)
    ]
    for line, colour in enumerate(("#1c6e8c", "#e0a458", "#7a4e7e")):
        chart.lines[line].strokeColor, chart.lines[line].strokeWidth = colors.HexColor(colour), 0.9
    chart.xValueAxis.labels.fontName = chart.yValueAxis.labels.fontName = fonts.SANS
    drawing.add(chart)
    drawing.add(
        String(0, 110, "Surface temperature by day, degrees Celsius", fontName=fonts.SANS_BOLD, fontSize=9)
    )
    return drawing


def _pie_chart(width: float) -> Drawing:
    drawing, chart = Drawing(width, 105), Pie()
    chart.x, chart.y, chart.width, chart.height = width / 2 - 42, 8, 84, 84
    chart.data, chart.labels = [44, 27, 17, 12], ["Spring water", "Rain", "Melt", "Other"]
    chart.slices.fontName, chart.slices.fontSize, chart.slices.strokeColor = fonts.SANS, 8, colors.white
    for part, colour in enumerate(("#1c6e8c", "#5fa8c4", "#a9cfde", "#e0a458")):
        chart.slices[part].fillColor = colors.HexColor(colour)
    drawing.add(chart)
    return drawing


def _table() -> Table:
    rng = np.random.default_rng(8)
    rows = [["Station", "Height", "Depth", "pH", "Oxygen", "Clarity", "State"]]
    for number in range(1, 37):
        rows.append(
            [
                f"Lake {number:02d}",
                f"{rng.integers(210, 1480)} m",
                f"{rng.uniform(4, 96):.1f} m",
                f"{rng.normal(7.4, 0.3):.2f}",
                f"{rng.normal(9.1, 0.9):.1f} mg/l",
                f"{rng.uniform(1.5, 9.8):.1f} m",
                str(rng.choice(["good", "good", "fair", "to be watched"])),
            ]
        )
    style = TableStyle(
        [
            ("FONT", (0, 0), (-1, 0), fonts.SANS_BOLD, 9.5),
            ("FONT", (0, 1), (-1, -1), fonts.SANS, 9),
            ("BACKGROUND", (0, 0), (-1, 0), ACCENT),
            ("TEXTCOLOR", (0, 0), (-1, 0), colors.white),
            ("ROWBACKGROUNDS", (0, 1), (-1, -1), [colors.white, PALE]),
            ("ALIGN", (1, 0), (-2, -1), "RIGHT"),
            ("LINEBELOW", (0, -1), (-1, -1), 0.8, ACCENT),
        ]
    )
    return Table(rows, colWidths=[2.4 * cm] * 6 + [3 * cm], rowHeights=16.5, style=style, repeatRows=1)


def _logo() -> io.BytesIO:
    """Three waves in a disc, with a soft edge in the alpha channel."""
    size = 480
    large = Image.new("RGBA", (size * 2, size * 2), (0, 0, 0, 0))
    draw = ImageDraw.Draw(large)
    draw.ellipse((8, 8, size * 2 - 8, size * 2 - 8), fill=(28, 110, 140, 255))
    for row in (340, 480, 620):
        points = [(x, row + 36 * np.sin(x / 62)) for x in range(170, 790, 4)]
        draw.line(points, fill=(255, 255, 255, 235), width=44, joint="curve")
    out = io.BytesIO()
    large.resize((size, size), Image.Resampling.LANCZOS).save(out, "PNG")
    out.seek(0)
    return out


def _screen_shot() -> bytes:
    """The window of a program: flat areas, thin lines and small text."""
    image = Image.new("RGB", (1360, 680), (246, 248, 250))
    draw = ImageDraw.Draw(image)
    regular, bold = (ImageFont.truetype(str(fonts.path(name)), 22) for name in (fonts.SANS, fonts.SANS_BOLD))
    draw.rectangle((0, 0, 1360, 52), fill=(31, 42, 54))
    draw.text((24, 12), "Survey console", font=bold, fill="white")
    draw.rectangle((0, 52, 280, 680), fill=(230, 238, 242))
    rng = np.random.default_rng(3)
    for row in range(12):
        if row == 2:
            draw.rectangle((0, 78 + row * 46, 280, 120 + row * 46), fill=(28, 110, 140))
        draw.text(
            (28, 84 + row * 46),
            f"Lake {row + 1:02d}",
            font=regular,
            fill="white" if row == 2 else (31, 42, 54),
        )
    for panel in range(3):
        top = 80 + panel * 196
        draw.rectangle((310, top, 1330, top + 176), fill="white", outline=(200, 210, 216))
        draw.text((330, top + 10), ("Level", "Oxygen", "Temperature")[panel], font=bold, fill=(31, 42, 54))
        steps = np.cumsum(rng.normal(0, 4, 480)) * 0.6
        line = [(330 + 2 * x, top + 105 + float(np.clip(step, -55, 55))) for x, step in enumerate(steps)]
        draw.line(line, fill=((28, 110, 140), (224, 164, 88), (122, 78, 126))[panel], width=3)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


FOREWORD = [
    "Thirty-six lakes, four seasons, one small boat. This report gathers what the survey saw in its ninth year: how "
    "much water came down, how warm it grew, what lived in it, and which of the lakes we shall have to watch.",
    "The figures are given in full at the end, so that others may reckon with them; the chapters before tell what we "
    "think they mean. Where we are not sure we say so. Where an instrument failed there is a gap, not a guess.",
    "We thank the wardens who opened gates, lent oars and rang us when the ice broke a week before the calendar did.",
]
FIELD = [
    "The season began on the ninth of April, ten days earlier than in the year before. By the middle of May every "
    "station had been visited once, and by the end of June twice. Samples were taken at one metre, at the "
    "thermocline and a metre above the ground, always before ten in the morning.",
    "Two of the loggers on the northern shore were lost to the ice. Their places were taken by <b>hand "
    "measurements</b> twice a week; the <i>wider intervals</i> in the charts are theirs.",
    "From the upper meadow, where the station stands, three of the lakes can be seen at once. In June the melt had "
    "ended, the inflow stood at its yearly height, and the meadow was in flower for twelve days.",
    "The method is described at <a href='https://example.org/survey/method' color='#1c6e8c'>example.org/survey/method"
    "</a>, with the calibration of each instrument.",
]
RESULTS = [
    "Inflow followed the pattern of the last five years, with its maximum in July and a second, lower rise after the "
    "rains of late September. The surface was warmer than the mean of the nine years by eight tenths of a degree.",
]
HARBOUR = [
    "The lower harbour is the only place in the survey with light at night all through the year. Since the lamps of "
    "the eastern pier were exchanged in March, less of it falls on the water: the photographs were taken with the "
    "same lens, aperture and time as those of the year before.",
]
SOURCES = [
    "Photographs: the survey. Charts and table: drawn from the survey's own data, which may be used freely with a "
    "mention of the source. Typefaces: Source Sans and Source Serif, under the SIL Open Font License.",
    "This report and all lakes, people and figures in it are made up. It is a sample document and may be copied, "
    "changed and passed on without condition.",
]
