//! Where an image stands on its page: pure reckoning in points.

use recto_interface::options::{InvalidOption, PageMargin, PageSize, Strategy};

/// The density at which an image without one is shown: a pixel of CSS.
pub(super) const DEFAULT_DENSITY: f64 = 96.0;

/// How pages are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageSetup {
    /// The portrait page.
    width: f64,
    height: f64,
    margin: f64,
    strategy: Strategy,
}

/// A page and the place of the image on it, in points from the lower left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placement {
    pub page_width: f64,
    pub page_height: f64,
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl PageSetup {
    /// # Errors
    /// [`InvalidOption`] when the margin leaves no room for an image.
    pub fn new(
        size: PageSize,
        margin: Option<PageMargin>,
        strategy: Strategy,
    ) -> Result<Self, InvalidOption> {
        const MM: f64 = 72.0 / 25.4;
        let (width, height) = match size {
            PageSize::A4 => (210.0 * MM, 297.0 * MM),
            PageSize::Letter => (612.0, 792.0),
        };
        let points = margin.map_or(0.0, |margin| margin.margin * margin.unit.points());
        if 2.0 * points >= width - 1.0 {
            let given = margin.map(|margin| format!("{} {}", margin.margin, margin.unit)).unwrap_or_default();
            return Err(InvalidOption::new(
                "pageMargin.margin",
                format!("{given} on both sides leaves no room on a page of {:.1} cm", width / 72.0 * 2.54),
            ));
        }
        Ok(Self { width, height, margin: points, strategy })
    }

    /// Places an image of this size in points: at its own size where that fits, else shrunk; in the middle.
    ///
    /// The strategies differ in the page: `Auto` turns it to the image; `ShrinkToPage` turns it only where an image
    /// too large for the upright page is shown larger on the turned one; `ShrinkToPortrait` never turns it.
    pub fn place(&self, width: f64, height: f64) -> Placement {
        let upright = self.place_on(self.width, self.height, width, height);
        let turned = self.place_on(self.height, self.width, width, height);
        let turn = match self.strategy {
            Strategy::Auto => width > height,
            Strategy::ShrinkToPage => turned.width > upright.width,
            Strategy::ShrinkToPortrait => false,
        };
        if turn { turned } else { upright }
    }

    fn place_on(&self, page_width: f64, page_height: f64, width: f64, height: f64) -> Placement {
        let room = |page: f64| page - 2.0 * self.margin;
        let scale = (room(page_width) / width).min(room(page_height) / height).min(1.0);
        let (width, height) = (width * scale, height * scale);
        let (x, y) = ((page_width - width) / 2.0, (page_height - height) / 2.0);
        Placement { page_width, page_height, x, y, width, height }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recto_interface::options::Unit;

    fn setup(strategy: Strategy) -> PageSetup {
        PageSetup::new(PageSize::Letter, None, strategy).unwrap()
    }

    #[test]
    fn an_image_that_fits_keeps_its_size_and_stands_in_the_middle() {
        for strategy in Strategy::ALL {
            let placed = setup(*strategy).place(100.0, 200.0);
            assert_eq!((placed.width, placed.height, placed.x, placed.y), (100.0, 200.0, 256.0, 296.0));
        }
    }

    #[test]
    fn auto_turns_the_page_to_the_image() {
        let page = |width, height| {
            let placed = setup(Strategy::Auto).place(width, height);
            (placed.page_width, placed.page_height)
        };
        assert_eq!(page(200.0, 100.0), (792.0, 612.0));
        assert_eq!(page(100.0, 200.0), (612.0, 792.0));
        assert_eq!(page(100.0, 100.0), (612.0, 792.0));
    }

    #[test]
    fn shrink_to_page_turns_the_page_only_for_what_gains_by_it() {
        let page = |width, height| setup(Strategy::ShrinkToPage).place(width, height).page_width;
        assert_eq!(page(200.0, 100.0), 612.0);
        assert_eq!(page(2000.0, 1000.0), 792.0);
        assert_eq!(page(1000.0, 2000.0), 612.0);
    }

    #[test]
    fn shrink_to_portrait_never_turns_the_page() {
        let placed = setup(Strategy::ShrinkToPortrait).place(2000.0, 1000.0);
        assert_eq!((placed.page_width, placed.width, placed.height), (612.0, 612.0, 306.0));
    }

    #[test]
    fn the_margin_stays_free() {
        let margin = Some(PageMargin { margin: 1.0, unit: Unit::In });
        let placed = PageSetup::new(PageSize::Letter, margin, Strategy::Auto).unwrap().place(9000.0, 9000.0);
        assert_eq!((placed.x, placed.width), (72.0, 468.0));
    }

    #[test]
    fn a_margin_wider_than_the_page_is_refused() {
        let margin = Some(PageMargin { margin: 10.5, unit: Unit::Cm });
        let error = PageSetup::new(PageSize::A4, margin, Strategy::Auto).unwrap_err();
        assert_eq!(error.field, "options.pageMargin.margin");
    }
}
