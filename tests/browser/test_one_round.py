"""The first notebook as a user meets it: in JupyterLab, in a browser."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import nbformat
import notebook_files
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Route

pytestmark = pytest.mark.browser

_NAME = "01_one_round.ipynb"

_OPEN = """async (path) => {
    const app = window.jupyterapp;
    await app.restored;
    const panel = await app.commands.execute(
        'docmanager:open', { path, factory: 'Notebook', kernel: { name: 'python3' } });
    await panel.context.ready;
    await panel.sessionContext.ready;
    await panel.revealed;
    window.panel = panel;
    return panel.content.widgets.length;
}"""
# Cell by cell: "run all" right after a start is known to do nothing at times.
_RUN = """async (index) => {
    window.panel.content.activeCellIndex = index;
    await window.jupyterapp.commands.execute('notebook:run-cell');
}"""
_OUTPUTS = """() => window.panel.content.widgets
    .filter((cell) => cell.model.type === 'code')
    .map((cell) => cell.model.outputs.toJSON())"""
_PICTURE = ".jp-OutputArea-output img[alt^='Best fitness']"
_SAVE_AND_CLOSE = """async () => {
    await window.panel.context.save();
    await window.panel.sessionContext.shutdown();
    window.panel.dispose();
}"""
_SHUT_DOWN = "() => window.panel.sessionContext.shutdown()"


@dataclass
class Visit:
    """A page in JupyterLab with what it asked for and complained about."""

    page: Page
    strangers: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, name: str) -> int:
        """Open a notebook; how many cells it has."""
        count: int = self.page.evaluate(_OPEN, name)
        return count

    def outputs(self) -> list[list[dict[str, Any]]]:
        """Outputs of each code cell."""
        found: list[list[dict[str, Any]]] = self.page.evaluate(_OUTPUTS)
        return found


@pytest.fixture
def visit(chromium: Browser, lab: Any) -> Iterator[Visit]:
    context = chromium.new_context(viewport={"width": 1280, "height": 8000})
    page = context.new_page()
    page.set_default_timeout(120_000)
    made = Visit(page)

    def guard(route: Route, request: Request) -> None:
        if urlsplit(request.url).hostname in ("127.0.0.1", None):
            route.continue_()
        else:
            made.strangers.append(request.url)
            route.abort()

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error":
            made.complaints.append(message.text)

    context.route("**/*", guard)
    page.on("console", listen)
    page.on("pageerror", lambda error: made.complaints.append(str(error)))
    # A workspace of its own, so that no notebook of an earlier visit comes back.
    page.goto(f"{lab.url}/lab/workspaces/{secrets.token_hex(4)}?token={lab.token}")
    page.wait_for_function("() => window.jupyterapp !== undefined")
    yield made
    page.evaluate(_SHUT_DOWN)
    context.close()


def test_every_cell_runs_and_shows_what_it_promises(visit: Visit, lab: Any, tmp_path: Path) -> None:
    quick = notebook_files.with_parameters(notebook_files.FOLDER / _NAME, notebook_files.QUICK)
    notebook_files.write(quick, lab.folder / _NAME)
    for index in range(visit.open(_NAME)):
        visit.page.evaluate(_RUN, index)
    page = visit.page
    page.wait_for_selector(".js-plotly-plot .scatterlayer .trace")
    page.wait_for_selector(_PICTURE)
    page.screenshot(path=tmp_path / "page.png")

    kinds = [output["output_type"] for cell in visit.outputs() for output in cell]
    assert "error" not in kinds
    assert "stream" not in kinds
    settings = quick_settings(quick)
    replies = settings["parents"] * (settings["rounds"] + 1)
    described = page.locator(_PICTURE).get_attribute("alt") or ""
    assert f"over {replies} replies" in described
    assert page.get_by_text("Round 3.", exact=False).count() == 1
    assert page.locator(".jp-OutputArea-output table").count() >= 10
    assert page.locator(".jp-OutputArea-output ins").count() >= 1
    assert visit.strangers == []
    assert visit.complaints == []


_BUSY = """
import time
from pathlib import Path
import hand_made_run
from workbench.runs import RunStore
from workbench.views.live import LiveFitness

store = RunStore.create(Path("busy.sqlite"), hand_made_run.manifest())
with LiveFitness(store) as live:
    for step in hand_made_run.steps():
        live.update(step)
        time.sleep(0.5)
"""
_WATCH = """() => {
    window.seen = new Set();
    window.spoken = new Set();
    const marks = '.workbench-live-fitness .solved, .workbench-live-fitness .failed';
    setInterval(() => {
        window.seen.add(document.querySelectorAll(marks).length);
        window.spoken.add(
            document.querySelector('.workbench-live-fitness [aria-live]')?.textContent ?? '');
    }, 50);
}"""


def test_the_live_panel_follows_while_its_cell_is_still_running(visit: Visit, lab: Any) -> None:
    notebook = nbformat.v4.new_notebook(  # type: ignore[no-untyped-call]
        cells=[nbformat.v4.new_code_cell(_BUSY)]  # type: ignore[no-untyped-call]
    )
    notebook_files.write(notebook, lab.folder / "busy.ipynb")
    visit.open("busy.ipynb")
    visit.page.evaluate(_WATCH)
    visit.page.evaluate(_RUN, 0)
    seen = visit.page.evaluate("() => [...window.seen]")
    assert {1, 2, 3, 4} & set(seen), f"numbers of marks seen while the cell ran: {seen}"
    assert visit.page.evaluate("() => window.spoken.size") <= 2, "a screen reader is flooded"
    visit.page.wait_for_selector(_PICTURE)


def test_a_notebook_that_was_saved_still_shows_its_figure_when_it_is_opened_again(
    visit: Visit, lab: Any
) -> None:
    notebook = nbformat.v4.new_notebook(  # type: ignore[no-untyped-call]
        cells=[nbformat.v4.new_code_cell(_BUSY.replace("busy.", "saved."))]  # type: ignore[no-untyped-call]
    )
    notebook_files.write(notebook, lab.folder / "saved.ipynb")
    visit.open("saved.ipynb")
    visit.page.evaluate(_RUN, 0)
    visit.page.wait_for_selector(_PICTURE)
    visit.page.evaluate(_SAVE_AND_CLOSE)
    visit.open("saved.ipynb")
    visit.page.wait_for_selector(_PICTURE)
    assert "over 5 replies" in (visit.page.locator(_PICTURE).get_attribute("alt") or "")
    assert visit.page.get_by_text("Error displaying widget").count() == 0


def quick_settings(notebook: Any) -> dict[str, Any]:
    """The values of the parameters cell."""
    values: dict[str, Any] = {}
    cell = next(cell for cell in notebook.cells if notebook_files.is_parameters(cell))
    exec(cell.source, values)  # our own literals, checked by the lint test
    return values


def test_the_committed_outputs_can_be_read_without_trust_and_without_running(
    visit: Visit, lab: Any
) -> None:
    committed = (notebook_files.FOLDER / _NAME).read_text()
    (lab.folder / "untrusted.ipynb").write_text(committed)
    visit.open("untrusted.ipynb")
    page = visit.page
    # Where nothing is trusted, JupyterLab prefers the figure's picture to the figure.
    page.wait_for_selector(".jp-OutputArea-output img[src^='data:image/png']")
    outputs = page.locator(".jp-OutputArea-output").all()
    assert len(outputs) == sum(len(cell) for cell in visit.outputs())
    for output in outputs:
        pictures = output.locator("img, svg").count()
        assert output.inner_text().strip() or pictures
    assert page.locator(_PICTURE).count() == 1
    assert visit.strangers == []
