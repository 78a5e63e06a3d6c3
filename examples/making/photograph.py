"""Computed photographs of imaginary places: sky, clouds, ridges in haze, water, lens and sensor.

Each is a scene of fractal noise lit, blurred and grained as a camera would, so that it compresses as a real
photograph does: much low-frequency tone, some texture everywhere, noise down to the pixel.
"""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Plane = NDArray[np.float64]
Colour = tuple[float, float, float]


def lake(width: int, height: int, seed: int = 11) -> Image.Image:
    """Ridges in evening haze, reflected in a lake."""
    rng = np.random.default_rng(seed)
    shore = int(height * 0.62)
    land = _sky(rng, width, shore, top=(0.20, 0.33, 0.58), horizon=(0.98, 0.72, 0.48), clouds=0.55)
    for near in (0.15, 0.35, 0.6, 1.0):
        _ridge(rng, land, near, far_colour=(0.72, 0.60, 0.62), near_colour=(0.07, 0.12, 0.10))
    water = _mirror(rng, land, height - shore)
    return _develop(rng, np.concatenate([land, water]), exposure=1.05)


def meadow(width: int, height: int, seed: int = 23) -> Image.Image:
    """Hills at noon behind a meadow in flower."""
    rng = np.random.default_rng(seed)
    scene = _sky(rng, width, height, top=(0.22, 0.45, 0.82), horizon=(0.80, 0.90, 0.97), clouds=0.8)
    for near in (0.2, 0.45, 0.7):
        _ridge(rng, scene, near, far_colour=(0.62, 0.74, 0.80), near_colour=(0.20, 0.38, 0.14))
    grass = int(height * 0.68)
    rows = np.linspace(0.0, 1.0, height - grass)[:, None]
    blades = _fractal(rng, width, height - grass, slope=1.1) * (0.35 + 0.65 * rows)
    colour = np.stack([0.30 + 0.22 * blades, 0.46 + 0.26 * blades, 0.14 + 0.10 * blades], axis=-1)
    for tint in ((0.95, 0.85, 0.25), (0.92, 0.92, 0.95), (0.75, 0.25, 0.45)):
        flowers = _fractal(rng, width, height - grass, slope=0.5) > 0.80 - 0.16 * rows
        colour[flowers] = 0.35 * colour[flowers] + 0.65 * np.array(tint)
    scene[grass:] = colour
    return _develop(rng, scene, exposure=1.0)


def harbour(width: int, height: int, seed: int = 37) -> Image.Image:
    """Lights of a harbour at night, out of focus."""
    rng = np.random.default_rng(seed)
    rows = np.linspace(0.0, 1.0, height)[:, None, None]
    scene = np.array((0.04, 0.06, 0.13)) * (1 - rows) + np.array((0.14, 0.11, 0.13)) * rows
    scene = np.broadcast_to(scene, (height, width, 3)) + 0.03 * _fractal(rng, width, height, 1.6)[..., None]
    scene = np.ascontiguousarray(scene)
    palette = np.array([(1.0, 0.78, 0.42), (1.0, 0.55, 0.28), (0.55, 0.75, 1.0), (0.95, 0.95, 0.85)])
    for _ in range(70):
        radius = height * rng.uniform(0.015, 0.055)
        centre_x, centre_y = rng.uniform(0, width), height * np.clip(rng.normal(0.45, 0.13), 0.05, 0.95)
        left, top = (max(0, int(centre - radius - 3)) for centre in (centre_x, centre_y))
        patch = scene[top : int(centre_y + radius + 4), left : int(centre_x + radius + 4)]
        y, x = np.mgrid[top : top + patch.shape[0], left : left + patch.shape[1]]
        distance = np.hypot(x - centre_x, y - centre_y)
        disc = np.clip((radius - distance) / 2.5 + 0.5, 0, 1) * (
            0.75 + 0.25 * np.clip(distance / radius, 0, 1)
        )
        patch += disc[..., None] * palette[rng.integers(len(palette))] * rng.uniform(0.1, 0.45)
    return _develop(rng, scene, exposure=1.0)


def jpeg(image: Image.Image, quality: int = 90, dpi: int = 300) -> bytes:
    """The image, saved as by a camera or a photo editor."""
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality, dpi=(dpi, dpi), subsampling="4:2:0", optimize=True)
    return out.getvalue()


def _fractal(rng: np.random.Generator, width: int, height: int, slope: float) -> Plane:
    """Noise with power falling as frequency to the `slope`, between 0 and 1."""
    frequency = np.hypot(np.fft.fftfreq(height)[:, None] * height, np.fft.rfftfreq(width)[None, :] * width)
    frequency[0, 0] = 1.0
    spectrum = np.fft.rfft2(rng.standard_normal((height, width))) / frequency**slope
    spectrum[0, 0] = 0
    plane = np.fft.irfft2(spectrum, s=(height, width))
    low, high = np.quantile(plane, [0.001, 0.999])
    return np.asarray(np.clip((plane - low) / (high - low), 0, 1))


def _sky(
    rng: np.random.Generator, width: int, height: int, top: Colour, horizon: Colour, clouds: float
) -> NDArray[np.float64]:
    """A graded sky with clouds that flatten towards the horizon."""
    rows = np.linspace(0.0, 1.0, height)[:, None, None] ** 0.8
    sky = np.array(top) * (1 - rows) + np.array(horizon) * rows
    # Perspective: compute more rows of clouds than the image has, and select the rows more densely towards the bottom.
    field = _fractal(rng, width, height * 2, slope=1.75)
    source = (np.linspace(0.0, 1.0, height) ** 0.55 * (2 * height - 1)).astype(int)
    cover = np.clip((field[source] - 0.50) * 3.2, 0, 1)[..., None] * clouds * (1 - 0.6 * rows)
    light = 0.82 + 0.18 * field[source][..., None]
    return np.asarray(sky * (1 - cover) + cover * light * (0.6 + 0.4 * np.array(horizon)))


def _ridge(
    rng: np.random.Generator, scene: NDArray[np.float64], near: float, far_colour: Colour, near_colour: Colour
) -> None:
    """Paints a mountain ridge; a nearer one is lower, darker and rougher."""
    height, width, _ = scene.shape
    outline = _fractal(rng, width, 2, slope=1.35)[0]
    crest = height * (0.42 + 0.48 * near - (0.34 - 0.18 * near) * outline)
    depth = np.arange(height)[:, None] - crest[None, :]
    mask = np.clip(depth + 0.5, 0, 1)[..., None]
    texture = _fractal(rng, width, height, slope=1.2) - 0.5
    light = 1 + (0.15 + 0.9 * near) * texture + 0.10 * np.gradient(texture, axis=1) * width / 40
    haze = np.clip(depth / height * 1.5, 0, 1) * (1 - near) * 0.35
    colour = np.array(far_colour) * (1 - near) + np.array(near_colour) * near
    ridge = colour * light[..., None]
    ridge = ridge * (1 - haze[..., None]) + np.array(far_colour) * haze[..., None]
    scene[:] = scene * (1 - mask) + ridge * mask


def _mirror(rng: np.random.Generator, land: NDArray[np.float64], rows: int) -> NDArray[np.float64]:
    """The land upside down in rippled water."""
    height, width, _ = land.shape
    ripple = _fractal(rng, width, rows, slope=1.0)
    depth = np.linspace(0.0, 1.0, rows)[:, None]
    source_y = height - 1 - np.arange(rows)[:, None] * 1.15 - (ripple - 0.5) * 60 * depth
    source_x = np.arange(width)[None, :] + (ripple - 0.5) * 30 * depth
    source_y = np.clip(source_y, 0, height - 1).astype(int)
    source_x = np.clip(source_x, 0, width - 1).astype(int)
    shade = (0.80 - 0.30 * depth + 0.16 * (ripple - 0.5))[..., None]
    return np.asarray(land[source_y, source_x] * shade * np.array((0.92, 0.98, 1.05)))


def _develop(rng: np.random.Generator, scene: NDArray[np.float64], exposure: float) -> Image.Image:
    """The effects of lens and sensor: vignette, a blur of about a pixel, shot noise, the film curve."""
    height, width, _ = scene.shape
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    light = np.clip(scene * exposure * (1 - 0.22 * (x**2 + y**2) / 2)[..., None], 0, 1.2)
    for axis in (0, 1):
        light = 0.5 * light + 0.25 * (np.roll(light, 1, axis) + np.roll(light, -1, axis))
    light += rng.standard_normal(light.shape) * 0.010 * np.sqrt(np.clip(light, 0.02, 1))
    curve = np.clip(light, 0, 1)
    curve = curve * curve * (3 - 2 * curve) * 0.35 + curve * 0.65
    return Image.fromarray((curve * 255 + 0.5).astype(np.uint8))
