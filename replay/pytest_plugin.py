"""A plugin of pytest: golden logs as tests, and matches of a store as tests. See `docs/golden-logs.md`.

pytest imports this module in every project that has kifold installed. So nothing else of kifold is imported here before
there is a golden log to collect, or a store to read.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

CORPUS = "--kifold-corpus"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the command line, and where golden logs are."""
    group = parser.getgroup("kifold", "kifold: golden logs of rulesets")
    group.addoption(
        "--kifold-update",
        action="store_true",
        help="write what folding the golden logs gives now beside them, and say what has changed",
    )
    group.addoption(CORPUS, metavar="STORE", help="verify the matches of a store, too: a test per ruleset")
    group.addoption(
        "--kifold-sample", metavar="N", type=int, help="of the store only N matches of each ruleset: a test per match"
    )
    parser.addini("kifold_golden", "folder of golden logs, from pytest's rootdir", default="tests/golden")


def pytest_configure(config: pytest.Config) -> None:
    """Check the options before anything is collected; get ready to write folds."""
    config.addinivalue_line("markers", "kifold: a golden log, or a match of a store")
    store, sample = config.getoption("kifold_corpus"), config.getoption("kifold_sample")
    if CORPUS in config.invocation_params.args:
        raise pytest.UsageError(f"write {CORPUS}=STORE: at a path that stands alone pytest looks for its configuration")
    if store is not None and not (Path(store) / "journal.sqlite").is_file():
        raise pytest.UsageError(f"{CORPUS}={store}: there is no store of kifold")
    if sample is not None and (store is None or sample < 1):
        raise pytest.UsageError(f"--kifold-sample needs a number from 1 on, and a store: {CORPUS}=STORE")
    if config.getoption("kifold_update") and not hasattr(config, "workerinput"):
        from kifold.replay.pytest_golden import Rewriting

        config.pluginmanager.register(Rewriting(config), "kifold-rewriting")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file of golden logs, or of folds whose logs are gone."""
    if file_path.suffix not in (".jsonl", ".json"):
        return None
    folder = parent.config.rootpath / parent.config.getini("kifold_golden")
    is_kept = folder in file_path.parents
    if not is_kept and not parent.config.getoption("kifold_update"):
        return None
    from kifold.replay.golden import FOLDS, LOGS, logs_path
    from kifold.replay.pytest_golden import FoldsAlone, GoldenFile

    is_logs = file_path.name.endswith(LOGS)
    if is_logs and not is_kept:
        where = f"no golden logs, for they are not in {folder}; kifold_golden among pytest's options names their folder"
        parent.warn(pytest.PytestCollectionWarning(f"{file_path}: {where}"))
        return None
    if is_logs:
        return _file(GoldenFile, parent, file_path)
    if is_kept and file_path.name.endswith(FOLDS) and not logs_path(file_path).exists():
        return _file(FoldsAlone, parent, file_path)
    return None


def _file(kind: type[pytest.File], parent: pytest.Collector, path: Path) -> pytest.File:
    file: pytest.File = kind.from_parent(parent, path=path)
    return file


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Beside the files that a run is to collect, the store."""
    report = yield
    store = collector.config.getoption("kifold_corpus")
    if store is not None and isinstance(collector, pytest.Session) and report.passed:
        from kifold.replay.pytest_corpus import Corpus

        report.result.append(Corpus.from_parent(collector, name=store, nodeid=store))
    return report
