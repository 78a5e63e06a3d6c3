"""Names for type checkers; never imported at run time."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeAlias, TypedDict

from typing_extensions import Buffer

from recto.enums import ColorSpace, Conformance, FontFamily, PageSize, Profile, Strategy, Unit
from recto.options import Margin, PageMargin, PixelSize, SquareSize, StampSize, TextStyle
from recto.records import FileId, Progress

ProfileLike: TypeAlias = Profile | Literal["web", "archive", "print", "minimalFileSize"]
PageSizeLike: TypeAlias = PageSize | Literal["a4", "letter"]
StrategyLike: TypeAlias = Strategy | Literal["Auto", "ShrinkToPage", "ShrinkToPortrait"]
ColorSpaceLike: TypeAlias = ColorSpace | Literal["rgb", "gray", "cmyk"]
PngColorSpaceLike: TypeAlias = ColorSpace | Literal["rgb", "gray"]
ConformanceLike: TypeAlias = Conformance | Literal["pdf_a2_b", "pdf_a3_b"]
UnitLike: TypeAlias = Unit | Literal["cm", "in"]
FontFamilyLike: TypeAlias = FontFamily | Literal["sans", "serif"]


class Options(TypedDict, total=False):
    """The options of all operations, for the calls that are told the operation by name."""

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


class Reader(Protocol):
    """A binary file object to read from."""

    def read(self, size: int, /) -> Any:
        """Return at most `size` bytes, none at the end."""


class Writer(Protocol):
    """A binary file object to write to."""

    def write(self, data: bytes, /) -> Any:
        """Write the bytes."""


class Socket(Protocol):
    """A connected socket."""

    def makefile(self, mode: Any, /) -> Any:
        """Make a file object."""


class Drawing(Protocol):
    """What draws one phase of a call."""

    def show(self, progress: Progress, /) -> None:
        """Draw how far it is."""

    def close(self) -> None:
        """Take away what is drawn."""


Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Source: TypeAlias = os.PathLike[str] | os.PathLike[bytes] | str | Buffer | Reader | Socket | FileId
OnProgress: TypeAlias = Callable[[Progress], object]
