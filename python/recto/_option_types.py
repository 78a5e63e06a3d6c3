"""The types of the options, for annotations: an enum or its text, and the options of all operations.

Generated from the table of operations by python/tests/generated: do not edit.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict

from recto.enums import (
    ColorSpace,
    Conformance,
    FontFamily,
    PageSize,
    Profile,
    Strategy,
    Unit,
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

ProfileLike: TypeAlias = Profile | Literal["web", "archive", "print", "minimalFileSize"]
PageSizeLike: TypeAlias = PageSize | Literal["a4", "letter"]
UnitLike: TypeAlias = Unit | Literal["cm", "in"]
StrategyLike: TypeAlias = Strategy | Literal["Auto", "ShrinkToPage", "ShrinkToPortrait"]
ConformanceLike: TypeAlias = Conformance | Literal["pdf_a2_b", "pdf_a3_b"]
ColorSpaceLike: TypeAlias = ColorSpace | Literal["rgb", "gray", "cmyk"]
PngColorSpaceLike: TypeAlias = ColorSpace | Literal["rgb", "gray"]
FontFamilyLike: TypeAlias = FontFamily | Literal["sans", "serif"]


class Options(TypedDict, total=False):
    """The options of all operations, for the calls that take the operation's name."""

    color_space: ColorSpaceLike | None
    conformance: str | None
    jpeg_quality: int | None
    margin: Margin | None
    max_size_in_pixels: PixelSize | tuple[int, int] | None
    page_margin: PageMargin | None
    page_size: PageSizeLike | None
    password: str | None
    profile: ProfileLike | None
    stamp_size: StampSize | SquareSize | None
    strategy: StrategyLike | None
    text: str
    text_style: TextStyle | None
    transparent_background: bool | None
    type: str
    value: str
