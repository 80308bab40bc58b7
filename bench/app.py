"""Measure waiting times in the browser: the first row of the inbox, 10,000 open requests, a slow network, 100 forms.

`first_row_ms` counts from the navigation until the frame in which a row is there. With 10,000 open requests `all_ms`
is when the title counts all of them, `key_ms` from a key press to the frame that shows the next row in focus, and
`scroll_ms` from one frame to the next while the list scrolls. A conversation with 100 forms shows its last 60:
`forms_ms` is when the last of them can be filled in, `earlier_ms` how long the other 40 take after the button.
`first_row_cpu_ms`, `forms_cpu_ms` and `all_forms_cpu_ms` are the CPU times of the page's thread until then,
since its navigation: they are comparable even on a busy machine.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import httpx2
from playwright.sync_api import BrowserContext, CDPSession, Page, sync_playwright

from bench.backlog import FIRST_THREAD
from bench.measure import emit
from bench.payload import questionnaire
from bench.restart import ask, create_requests
from bench.servers import REQUESTER, RESPONDER, Databases, serve
from tests.chromium import ARGUMENTS, CHROMIUM

SLOW_4G = {"offline": False, "latency": 562.5, "downloadThroughput": 180_000, "uploadThroughput": 84_375}
"""As in the developer tools of Chrome: 1.6 Mbit/s and 750 kbit/s, less a tenth, and 150 ms 3.75 times."""
FEW_REQUESTS, MANY_REQUESTS, FORMS = 20, 10_000, 100
KEYS, FRAMES = 30, 90

NOTE = """(() => {
  const shadow = (root, tag) => root?.querySelector(tag)?.shadowRoot;
  const inbox = () => shadow(shadow(document, "askback-app"), "askback-place-inbox");
  const forms = () => [...(shadow(document, "askback-thread")?.querySelectorAll("askback-request") ?? [])]
    .filter((card) => card.shadowRoot.querySelector("form")).length;
  const marks = {
    row: () => inbox()?.querySelector(".row"),
    all: () => document.title.startsWith("(10001)"),
    forms: () => forms() === 60,
  };
  globalThis.noted = {};
  const look = () => {
    for (const [name, isThere] of Object.entries(marks)) if (isThere()) noted[name] ??= performance.now();
    requestAnimationFrame(look);
  };
  look();
  globalThis.reached = (...names) => new Promise((resolve, reject) => {
    const see = () => names.every((name) => name in noted) ? resolve(noted) : requestAnimationFrame(see);
    see();
    setTimeout(reject, 120_000);
  });
})()"""
"""Records the frame in which something appears; `reached` resolves when all of them are there."""
KEY = """() => new Promise((resolve) => {
  const shown = (event) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - event.timeStamp)));
  addEventListener("keydown", shown, { once: true, capture: true });
})"""
SCROLL = """async (frames) => {
  const pane = document.querySelector("askback-app").shadowRoot.querySelector("askback-place-inbox")
    .shadowRoot.querySelector(".pane.list");
  const times = [];
  for (let at = 0; at <= frames; at += 1) {
    pane.scrollBy(0, 300);
    times.push(await new Promise(requestAnimationFrame));
  }
  return times.slice(1).map((time, at) => time - times[at]);
}"""
LOAD_EARLIER = """async () => {
  const thread = document.querySelector("askback-thread").shadowRoot;
  const began = performance.now();
  thread.querySelector(".earlier button").click();
  const cards = () => [...thread.querySelectorAll("askback-request")];
  const open = () => cards().filter((card) => card.shadowRoot.querySelector("form"));
  while (open().length < 100) await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""
PAINTED = """() => new Promise((resolve) => new PerformanceObserver((list) =>
  list.getEntriesByName("first-contentful-paint").forEach(({ startTime }) => resolve(startTime)))
  .observe({ type: "paint", buffered: true }))"""


class Browser:
    """A signed-in window, which can be made slow."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self.origin = origin
        self.page: Page = context.new_page()
        self.tools: CDPSession = context.new_cdp_session(self.page)
        self.page.goto(f"{origin}/login")
        self.page.fill("#code", RESPONDER)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(f"{origin}/")
        self.page.add_init_script(NOTE)
        self.tools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def open(self, path: str, *marks: str) -> dict[str, float]:
        """Load a page; return the times of the marks.

        Playwright's own way to wait loads a script of its own into the page, which takes a tenth of the measured time.
        """
        self.page.goto(self.origin + path)
        names = ", ".join(map(repr, marks))
        call = {"expression": f"reached({names})", "awaitPromise": True, "returnByValue": True}
        return self.tools.send("Runtime.evaluate", call)["result"]["value"]

    def cpu_ms(self) -> float:
        """Return the CPU time of the page's thread since the navigation."""
        metrics = self.tools.send("Performance.getMetrics")["metrics"]
        return 1000 * next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    def first_paint(self, path: str) -> float:
        """Load a page; return the time of its first paint."""
        self.page.goto(self.origin + path, wait_until="commit")
        return self.page.evaluate(PAINTED)


def begin_forms(origin: str) -> None:
    """Ask 100 questions in one conversation."""
    with _client(origin) as agent:
        for index in range(FORMS):
            form = {
                "title": f"Question {index}",
                "fields": [(questionnaire(index).fields or [])[0].model_dump(exclude_none=True)],
            }
            body = {"kind": "form", "thread_id": "hundred", "form": form}
            agent.post("/v1/requests", json=body).raise_for_status()


def measure_slow_cpu(window: Browser) -> dict[str, float]:
    """The first row, with a CPU slowed four times and all files in the cache."""
    window.tools.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    measured = window.open("/", "row")
    window.tools.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    window.open("/", "row")
    return {"first_row_ms": measured["row"], "first_row_cpu_ms": window.cpu_ms()}


def measure_slow_network(window: Browser) -> dict[str, float]:
    """The first paint, with nothing in the cache and a slow network."""
    window.tools.send("Network.enable")
    window.tools.send("Network.clearBrowserCache")
    window.tools.send("Network.emulateNetworkConditions", SLOW_4G)
    paint_ms = window.first_paint("/")
    window.page.wait_for_function("() => noted.row", timeout=60_000)
    row = window.page.evaluate("() => noted.row")
    window.tools.send(
        "Network.emulateNetworkConditions",
        {**SLOW_4G, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
    )
    return {"first_paint_ms": paint_ms, "first_row_ms": row}


def measure_hundred_forms(window: Browser) -> dict[str, float]:
    """A conversation with 100 questions."""
    forms = window.open("/t/hundred", "forms")["forms"]
    cpu_ms = window.cpu_ms()
    load_time = window.page.evaluate(LOAD_EARLIER)
    return {
        "forms_ms": forms,
        "earlier_ms": load_time,
        "forms_cpu_ms": cpu_ms,
        "all_forms_cpu_ms": window.cpu_ms(),
    }


def measure_large_inbox(window: Browser) -> dict[str, float]:
    """An inbox with 10,000 open requests: read, stepped through, scrolled."""
    positions: list[int] = []
    window.page.on(
        "websocket", lambda socket: socket.on("framereceived", lambda data: positions.append(len(data)))
    )
    opened_window = window.open("/", "row", "all")
    keys: list[float] = []
    for _ in range(KEYS):
        key_handle = window.page.evaluate_handle(f"({{ done: ({KEY})() }})")
        window.page.keyboard.press("j")
        keys.append(key_handle.evaluate("({ done }) => done"))
    frames: Sequence[float] = window.page.evaluate(SCROLL, FRAMES)
    return {
        "first_row_ms": opened_window["row"],
        "all_ms": opened_window["all"],
        "moved_mb": sum(positions) / 1e6,
        "key_ms": statistics.median(keys),
        "scroll_ms": statistics.median(frames),
    }


def _client(origin: str) -> httpx2.Client:
    return httpx2.Client(base_url=origin, headers={"Authorization": f"Bearer {REQUESTER}"}, timeout=60)


Case = Callable[[Browser], dict[str, float]]


def measure(origin: str, cases: dict[str, Case], repeat: int) -> None:
    """Measure the cases by turns, in one browser that has seen the pages before."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        window = Browser(context, origin)
        window.open("/", "row")
        window.open("/t/hundred")
        for _ in range(repeat):
            for name, case in cases.items():
                figures: dict[str, Any] = {key: round(value, 1) for key, value in case(window).items()}
                emit("app", name, **figures)
        browser.close()


def main() -> None:
    """Measure with few open requests, then with many."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    with Databases() as databases:
        with databases.new("sqlite") as url, serve(url) as site:
            with _client(site.agents) as agent:
                for index in range(FEW_REQUESTS):
                    ask(agent, f"{FIRST_THREAD}-{index}")
            measure(
                site.persons,
                {"warm_cpu_4x": measure_slow_cpu, "cold_slow_4g": measure_slow_network},
                args.repeat,
            )
            begin_forms(site.agents)
            measure(site.persons, {"forms_100": measure_hundred_forms}, args.repeat)
        with databases.new("sqlite") as url:
            create_requests(url, MANY_REQUESTS)
            with serve(url) as site:
                measure(site.persons, {"open_10000": measure_large_inbox}, args.repeat)


if __name__ == "__main__":
    main()
