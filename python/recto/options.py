"""The options that have parts: margins, sizes, text styles.

Each takes its fields by name, named as in the specification; what is left out is not sent.
"""

from __future__ import annotations

from recto._frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recto._types import FontFamilyLike, UnitLike

__all__ = ["Margin", "PageMargin", "PixelSize", "SquareSize", "StampSize", "TextStyle"]


class Margin(Frozen):
    """Where a stamp stands: its distance from the edges that are given.

    A barcode, Data Matrix or QR code takes `left` and `bottom` only.

    >>> recto.Margin(top=2, right=2, unit="cm")
    Margin(top=2, right=2, unit='cm')
    """

    __slots__ = ("top", "right", "left", "bottom", "unit")  # noqa: RUF023 (the order of the fields)

    top: float | None
    """The distance from the top edge, in `unit`."""
    right: float | None
    """The distance from the right edge, in `unit`."""
    left: float | None
    """The distance from the left edge, in `unit`."""
    bottom: float | None
    """The distance from the bottom edge, in `unit`."""
    unit: UnitLike | None
    """The unit of the distances: `cm` or `in`."""

    def __init__(
        self,
        top: float | None = None,
        right: float | None = None,
        left: float | None = None,
        bottom: float | None = None,
        unit: UnitLike | None = None,
    ) -> None:
        """Give the distance from each edge that matters, and their unit."""
        self._fill(top, right, left, bottom, unit)


class PageMargin(Frozen):
    """A margin of a page, equal on all four sides.

    >>> recto.PageMargin(1.5, "cm")
    PageMargin(margin=1.5, unit='cm')
    """

    __slots__ = ("margin", "unit")

    margin: float
    """Its width, in `unit`."""
    unit: UnitLike
    """The unit of the width: `cm` or `in`."""

    def __init__(self, margin: float, unit: UnitLike) -> None:
        """Give the width and its unit."""
        self._fill(margin, unit)


class TextStyle(Frozen):
    """How the text of a stamp looks.

    >>> recto.TextStyle(text_color="#c00000", font_family="sans", is_bold=True, font_size=24)
    TextStyle(text_color='#c00000', font_family='sans', is_bold=True, font_size=24)
    """

    __slots__ = ("text_color", "font_family", "is_bold", "is_italic", "font_size")  # noqa: RUF023

    text_color: str | None
    """The colour, such as `#c00000` or `red`."""
    font_family: FontFamilyLike | None
    """The face: `sans` or `serif`."""
    is_bold: bool | None
    """Bold."""
    is_italic: bool | None
    """Italic."""
    font_size: float | None
    """The size; the specification names no unit, the local service takes points."""

    def __init__(
        self,
        text_color: str | None = None,
        font_family: FontFamilyLike | None = None,
        is_bold: bool | None = None,
        is_italic: bool | None = None,
        font_size: float | None = None,
    ) -> None:
        """Give what should differ from the service's own style."""
        self._fill(text_color, font_family, is_bold, is_italic, font_size)


class StampSize(Frozen):
    """The size of a barcode.

    >>> recto.StampSize(width=6, height=2, unit="cm")
    StampSize(width=6, height=2, unit='cm')
    """

    __slots__ = ("width", "height", "unit")  # noqa: RUF023

    width: float | None
    """The width, in `unit`."""
    height: float | None
    """The height, in `unit`."""
    unit: UnitLike | None
    """The unit of the size: `cm` or `in`."""

    def __init__(
        self, width: float | None = None, height: float | None = None, unit: UnitLike | None = None
    ) -> None:
        """Give the width, the height and their unit."""
        self._fill(width, height, unit)


class SquareSize(Frozen):
    """The size of a Data Matrix or QR code.

    >>> recto.SquareSize(side=3, unit="cm")
    SquareSize(side=3, unit='cm')
    """

    __slots__ = ("side", "unit")

    side: float | None
    """The length of a side, in `unit`."""
    unit: UnitLike | None
    """The unit of the side: `cm` or `in`."""

    def __init__(self, side: float | None = None, unit: UnitLike | None = None) -> None:
        """Give the length of a side and its unit."""
        self._fill(side, unit)


class PixelSize(Frozen):
    """The most pixels an image may have each way; its aspect ratio is kept. A tuple will do as well.

    >>> recto.PixelSize(1200, 1200)
    PixelSize(width=1200, height=1200)
    """

    __slots__ = ("width", "height")  # noqa: RUF023

    width: int
    """The maximum width in pixels."""
    height: int
    """The maximum height in pixels."""

    def __init__(self, width: int, height: int) -> None:
        """Give the maximum width and height in pixels."""
        self._fill(width, height)
