"""The type of the options of all operations, for annotations.

Generated from the table of operations by python/tests/generated: do not edit.
"""

from __future__ import annotations

from typing import TypedDict

from recto._enum_types import (
    ColorSpaceLike,
    ConformanceLike,
    FontFamilyLike,
    PageSizeLike,
    PngColorSpaceLike,
    ProfileLike,
    StrategyLike,
    UnitLike,
)
from recto.options import (
    Margin,
    PageMargin,
    PixelSize,
    SquareSize,
    StampSize,
    TextStyle,
)

__all__ = [
    "ColorSpaceLike",
    "ConformanceLike",
    "FontFamilyLike",
    "Margin",
    "Options",
    "PageMargin",
    "PageSizeLike",
    "PixelSize",
    "PngColorSpaceLike",
    "ProfileLike",
    "SquareSize",
    "StampSize",
    "StrategyLike",
    "TextStyle",
    "UnitLike",
]


class Options(TypedDict, total=False):
    """The options of all operations, for the calls that take the operation's name."""

    color_space: ColorSpaceLike | None
    conformance: str | None
    jpeg_quality: int | None
    margin: Margin | None
    max_size_in_pixels: PixelSize | tuple[int, int] | None
    page_margin: PageMargin | str | None
    page_size: PageSizeLike | None
    password: str | None
    profile: ProfileLike | None
    stamp_size: StampSize | str | SquareSize | str | None
    strategy: StrategyLike | None
    text: str
    text_style: TextStyle | None
    transparent_background: bool | None
    type: str
    value: str
