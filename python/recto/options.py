"""The options that have several fields: margins, sizes, text styles.

The fields are named as in the specification. A field that is left out is not sent.

Generated from the table of operations by python/tests/generated: do not edit.
"""

from __future__ import annotations

from recto._frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recto import _enum_types as enum_types
else:
    from recto._lazy import enum_types

__all__ = [
    "Margin",
    "PageMargin",
    "PixelSize",
    "SquareSize",
    "StampSize",
    "TextStyle",
]


class PageMargin(Frozen):
    """A margin of the page, equal on all four sides.

    >>> recto.PageMargin(margin=1.5, unit="cm")
    PageMargin(margin=1.5, unit='cm')
    """

    __slots__ = (
        "margin",
        "unit",
    )
    __match_args__ = (
        "margin",
        "unit",
    )

    margin: float | str
    """The width of the margin, in its unit."""
    unit: enum_types.UnitLike
    """The unit of the margin: cm or in."""

    def __init__(
        self,
        margin: float | str,
        unit: enum_types.UnitLike,
    ) -> None:
        """Set all fields."""
        self._fill(margin, unit)


class PixelSize(Frozen):
    """The maximum size of an image in pixels; its aspect ratio is kept.

    >>> recto.PixelSize(width=1200, height=1200)
    PixelSize(width=1200, height=1200)
    """

    __slots__ = (
        "width",
        "height",
    )
    __match_args__ = (
        "width",
        "height",
    )

    width: int
    """The maximum width in pixels."""
    height: int
    """The maximum height in pixels."""

    def __init__(
        self,
        width: int,
        height: int,
    ) -> None:
        """Set all fields."""
        self._fill(width, height)


class Margin(Frozen):
    """The position of a stamp: its distances from edges of the page; centred on an axis without a distance.

    `stamp_barcode`, `stamp_data_matrix` and `stamp_qr` take `left`, `bottom` and `unit` only.

    >>> recto.Margin(top=2, right=2, unit="cm")
    Margin(top=2, right=2, unit='cm')
    """

    __slots__ = (
        "top",
        "right",
        "left",
        "bottom",
        "unit",
    )
    __match_args__ = (
        "top",
        "right",
        "left",
        "bottom",
        "unit",
    )

    top: float | str | None
    """The distance from the top edge, in the margin's unit."""
    right: float | str | None
    """The distance from the right edge, in the margin's unit."""
    left: float | str | None
    """The distance from the left edge, in the margin's unit."""
    bottom: float | str | None
    """The distance from the bottom edge, in the margin's unit."""
    unit: enum_types.UnitLike | None
    """The unit of the distances: cm or in."""

    def __init__(
        self,
        top: float | str | None = None,
        right: float | str | None = None,
        left: float | str | None = None,
        bottom: float | str | None = None,
        unit: enum_types.UnitLike | None = None,
    ) -> None:
        """Set the fields. A field that is `None` is not sent."""
        self._fill(top, right, left, bottom, unit)


class TextStyle(Frozen):
    """The style of a stamp's text.

    >>> recto.TextStyle(text_color="#c00000", font_family="sans", is_bold=True, font_size=24)
    TextStyle(text_color='#c00000', font_family='sans', is_bold=True, font_size=24)
    """

    __slots__ = (
        "text_color",
        "font_family",
        "is_bold",
        "is_italic",
        "font_size",
    )
    __match_args__ = (
        "text_color",
        "font_family",
        "is_bold",
        "is_italic",
        "font_size",
    )

    text_color: str | None
    """The colour, such as #c00000 or red."""
    font_family: enum_types.FontFamilyLike | None
    """The typeface: sans or serif."""
    is_bold: bool | None
    """Bold."""
    is_italic: bool | None
    """Italic."""
    font_size: float | None
    """The font size; the local service reads it in points."""

    def __init__(
        self,
        text_color: str | None = None,
        font_family: enum_types.FontFamilyLike | None = None,
        is_bold: bool | None = None,
        is_italic: bool | None = None,
        font_size: float | None = None,
    ) -> None:
        """Set the fields. A field that is `None` is not sent."""
        self._fill(text_color, font_family, is_bold, is_italic, font_size)


class StampSize(Frozen):
    """The size of a barcode.

    >>> recto.StampSize(width=6, height=2, unit="cm")
    StampSize(width=6, height=2, unit='cm')
    """

    __slots__ = (
        "width",
        "height",
        "unit",
    )
    __match_args__ = (
        "width",
        "height",
        "unit",
    )

    width: float | str | None
    """The width, in the size's unit."""
    height: float | str | None
    """The height, in the size's unit."""
    unit: str | None
    """The unit of the size, such as cm or in."""

    def __init__(
        self,
        width: float | str | None = None,
        height: float | str | None = None,
        unit: str | None = None,
    ) -> None:
        """Set the fields. A field that is `None` is not sent."""
        self._fill(width, height, unit)


class SquareSize(Frozen):
    """The size of a Data Matrix or QR code.

    >>> recto.SquareSize(side=3, unit="cm")
    SquareSize(side=3, unit='cm')
    """

    __slots__ = (
        "side",
        "unit",
    )
    __match_args__ = (
        "side",
        "unit",
    )

    side: float | str | None
    """The length of a side, in the size's unit."""
    unit: str | None
    """The unit of the size, such as cm or in."""

    def __init__(
        self,
        side: float | str | None = None,
        unit: str | None = None,
    ) -> None:
        """Set the fields. A field that is `None` is not sent."""
        self._fill(side, unit)
