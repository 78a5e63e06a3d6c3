"""The web page of `recto serve`, in a browser: with mouse and keyboard, in light and dark colours."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

from e2e.support import EXAMPLES, ROOT

# The minimum contrast of text (WCAG 2.2, 1.4.3).
CONTRAST = 4.5

CONTRASTS = """
const linear = (part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
const channel = (value) => linear(value / 255);
const parse = (color) => color.match(/[\\d.]+/g).map(Number);
const luminance = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
const ground = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = parse(getComputedStyle(at).backgroundColor);
    if (color.length < 4 || color[3] > 0) return color;
  }
  return [255, 255, 255];
};
const poor = [];
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!own || !element.checkVisibility() || element.matches(":disabled")) continue;
  const [one, other] = [luminance(parse(getComputedStyle(element).color)), luminance(ground(element))];
  const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  const text = element.textContent.trim().slice(0, 40);
  if (ratio < arguments[0]) poor.push(`${element.tagName}: ${text}: ${ratio.toFixed(2)}`);
}
return poor;
"""

NAMELESS = """
return [...document.querySelectorAll("input, select, button, progress, [role=region]")]
  .filter((element) => element.checkVisibility())
  .filter((element) => !(element.labels && element.labels.length) && !element.textContent.trim()
    && !element.getAttribute("aria-labelledby"))
  .map((element) => element.outerHTML);
"""

DROP = """
const [name, text] = arguments;
const data = new DataTransfer();
data.items.add(new File([text], name));
const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
document.getElementById("drop").dispatchEvent(drop);
"""


@dataclass
class Service:
    """A running service."""

    base_url: str
    key: str
    link: str


@pytest.fixture
def running(command: str, scratch: Path) -> Iterator[Service]:
    """`recto serve` at a terminal, where it prints the link that opens its page."""
    terminal, service_end = pty.openpty()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen(
        [command, "serve"], stdout=subprocess.PIPE, stderr=service_end, text=True, env=environment
    ) as service:
        os.close(service_end)
        assert service.stdout is not None
        variables = dict(service.stdout.readline().strip().split("=", 1) for _ in range(2))
        printed = ""
        # Other lines may be warnings: about a service that runs as root.
        while (found := re.search(r"(http://\S+)\s*\n", printed)) is None:
            printed += os.read(terminal, 1000).decode()
        link = found[1]
        try:
            yield Service(variables["RECTO_BASE_URL"], variables["RECTO_API_KEY"], link)
        finally:
            service.terminate()
            service.wait()
            os.close(terminal)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """A browser without a window."""
    programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    programs["chromium"] = programs["chromium"] or shutil.which("google-chrome")
    for name, found in programs.items():
        if found is None:
            if os.environ.get("CI"):
                pytest.fail(f"{name} is not installed; see scripts/check-machine test")
            pytest.skip(f"{name} is not installed; see scripts/check-machine test")
    options = webdriver.ChromeOptions()
    options.binary_location = programs["chromium"] or ""
    profile = tmp_path_factory.mktemp("chromium")
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--window-size=1000,1300",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=programs["chromedriver"])
    browser = webdriver.Chrome(options=options, service=service)
    yield browser
    browser.quit()


def _log(chromium: webdriver.Chrome) -> list[dict[str, object]]:
    """The entries in the browser's log since the last call."""
    logged: list[dict[str, object]] = chromium.execute("getLog", {"type": "browser"})["value"]
    return logged


@pytest.fixture
def browser(
    chromium: webdriver.Chrome,
    running: Service,  # noqa: ARG001 -- ends after this fixture
) -> Iterator[webdriver.Chrome]:
    """The browser; an error in its log fails the test. It leaves the page before the service `running` ends."""
    _log(chromium)
    yield chromium
    chromium.get("about:blank")
    errors = [str(entry["message"]) for entry in _log(chromium) if entry["level"] == "SEVERE"]
    expected = ("401 (Unauthorized)", "422 (Unprocessable", "403 (Forbidden)")
    assert [entry for entry in errors if not any(word in entry for word in expected)] == []


def _wait(browser: webdriver.Chrome) -> WebDriverWait[webdriver.Chrome]:
    """A wait that tolerates elements that the page replaces meanwhile."""
    return WebDriverWait(
        browser, 30, ignored_exceptions=[NoSuchElementException, StaleElementReferenceException]
    )


def _find(browser: webdriver.Chrome, selector: str) -> WebElement:
    """The element, once it is visible."""

    def visible(browser: webdriver.Chrome) -> WebElement | None:
        found = browser.find_elements(By.CSS_SELECTOR, selector)
        return found[0] if found and found[0].is_displayed() else None

    found = _wait(browser).until(visible, f"{selector} is not visible")
    assert found is not None
    return found


def _text(browser: webdriver.Chrome, selector: str) -> str:
    """The text of an element, once it has one."""

    def text(browser: webdriver.Chrome) -> str:
        return browser.find_element(By.CSS_SELECTOR, selector).text

    return _wait(browser).until(text, f"{selector} has no text")


def _choose(browser: webdriver.Chrome, document: Path, operation: str) -> None:
    _find(browser, "#file").send_keys(str(document))
    Select(_find(browser, "#operation")).select_by_value(operation)


def _press(browser: webdriver.Chrome, keys: str) -> None:
    webdriver.ActionChains(browser).send_keys(keys).perform()


def test_a_document_is_processed_and_its_result_saved(browser: webdriver.Chrome, running: Service) -> None:
    browser.get(running.link)
    _choose(browser, EXAMPLES / "report.pdf", "pdf-to-png")
    assert "once=" not in browser.current_url, "the one-time token stays in the address"
    names = [
        label.text for label in browser.find_elements(By.CSS_SELECTOR, "#options label, #options legend")
    ]
    assert names == [
        "Options",
        "Color space",
        "Transparent background",
        "Max size in pixels",
        "Width",
        "Height",
    ]
    Select(_find(browser, "#option-colorSpace")).select_by_value("gray")
    _find(browser, "#go").click()
    link = _find(browser, "#download a")
    with urllib.request.urlopen(link.get_attribute("href") or "") as response:
        assert response.read(4) in (b"PK\x03\x04", b"\x89PNG")
    assert _text(browser, "#state").startswith("Done in ")
    row = _text(browser, "#operations tr")
    assert "pdf-to-png" in row
    _wait(browser).until(lambda _: "finished" in _text(browser, "#operations tr"))
    assert _text(browser, "#operations tr").rstrip().endswith("s")
    pictures = ROOT / "build" / "test"
    pictures.mkdir(parents=True, exist_ok=True)
    assert browser.save_screenshot(str(pictures / "page.png"))


def test_the_page_requests_the_key_and_refuses_a_wrong_one(
    browser: webdriver.Chrome, running: Service
) -> None:
    browser.get(running.base_url)
    key = _find(browser, "#key")
    key.send_keys("not the key", Keys.ENTER)
    assert _text(browser, "#unlock-error") == "This is not the API key of this service."
    key.send_keys(Keys.CONTROL + "a")
    key.send_keys(running.key, Keys.ENTER)
    _find(browser, "#file")
    browser.refresh()
    _find(browser, "#file")
    assert running.key not in browser.page_source


def test_a_used_link_requests_the_key(browser: webdriver.Chrome, running: Service) -> None:
    browser.get(running.link)
    _find(browser, "#file")
    browser.execute_script("sessionStorage.clear()")
    browser.get("about:blank")
    browser.get(running.link)
    assert "this link was already used" in _text(browser, "#unlock-error")
    _find(browser, "#key")


def test_a_dropped_document_selects_the_operations_that_take_it(
    browser: webdriver.Chrome, running: Service
) -> None:
    browser.get(running.link)
    _find(browser, "#file")
    browser.execute_script(DROP, "table.csv", "a,b\n1,2\n")
    offered = [option.text for option in Select(_find(browser, "#operation")).options]
    assert offered == ["spreadsheet-to-pdf"]
    browser.execute_script(DROP, "broken.pdf", "not a PDF")
    Select(_find(browser, "#operation")).select_by_value("optimize")
    _find(browser, "#go").click()
    assert "not a PDF document" in _text(browser, "#failure")
    _wait(browser).until(lambda _: "failed: wrong_format" in _text(browser, "#operations tr"))


def test_the_page_works_with_the_keyboard_only(browser: webdriver.Chrome, running: Service) -> None:
    browser.get(running.link)
    _find(browser, "#file").send_keys(str(EXAMPLES / "report.pdf"))
    reached = []
    browser.execute_script("document.activeElement.blur()")
    for _ in range(40):
        _press(browser, Keys.TAB)
        focused = browser.switch_to.active_element
        name = focused.get_attribute("id") or focused.tag_name
        reached.append(name)
        if name == "operation":
            _press(browser, "encrypt")
        if name == "option-password":
            _press(browser, "geheim")
        if name == "go":
            _press(browser, Keys.ENTER)
            break
    assert reached[-1] == "go", reached
    assert {"file", "option-password"} <= set(reached), reached
    assert _find(browser, "#download a").text == "Save report.pdf"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_control_has_a_label_and_enough_contrast(
    browser: webdriver.Chrome, running: Service, scheme: str
) -> None:
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(running.base_url)
    _find(browser, "#key")
    assert browser.execute_script(CONTRASTS, CONTRAST) == []
    browser.get(running.link)
    _choose(browser, EXAMPLES / "report.pdf", "stamp-text")
    _find(browser, "#option-text").send_keys("価格")
    _find(browser, "#go").click()
    assert "価" in _text(browser, "#failure")
    _wait(browser).until(lambda _: "failed: " in _text(browser, "#operations tr"))
    assert browser.execute_script(CONTRASTS, CONTRAST) == []
    assert browser.execute_script(NAMELESS) == []
    assert (
        browser.execute_script("return getComputedStyle(document.getElementById('drop')).transitionDuration")
        == "0s"
    )
    picture = ROOT / "build" / "test" / f"page-{scheme}.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    assert browser.save_screenshot(str(picture))


def test_a_narrow_window_scrolls_in_one_direction_only(browser: webdriver.Chrome, running: Service) -> None:
    metrics = {"width": 320, "height": 700, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        browser.get(running.link)
        _choose(browser, EXAMPLES / "report.pdf", "stamp-text")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 320
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
