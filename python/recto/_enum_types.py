"""The types of the options with a closed set of values, for annotations: an enum or its text.

Generated from the table of operations by python/tests/generated: do not edit.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from recto.enums import (
    ColorSpace,
    Conformance,
    FontFamily,
    PageSize,
    Profile,
    Strategy,
    Unit,
)

__all__ = [
    "ColorSpaceLike",
    "ConformanceLike",
    "FontFamilyLike",
    "PageSizeLike",
    "PngColorSpaceLike",
    "ProfileLike",
    "StrategyLike",
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
