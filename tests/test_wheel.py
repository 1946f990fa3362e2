"""The wheel, built from a copy of the tree and installed offline where nothing else is."""

import os
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WHEELS = Path(os.environ.get("KIFOLD_WHEELS", ROOT / ".wheels"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
VERSION: str = PROJECT["project"]["version"]
FOLDERS: list[str] = list(PROJECT["tool"]["setuptools"]["package-dir"].values())

# One worker runs them all: they share one build and one installation.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


def run(*command: str | Path, cwd: Path, timeout: float = 600) -> str:
    """What the command printed; it sees nothing of this environment's configuration and caches."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("KIFOLD_", "NUMBA_", "PIP_", "PYTEST_", "PYTHON", "VIRTUAL_ENV", "XDG_"))
    }
    environment = {**kept, "HOME": str(cwd), "PIP_CONFIG_FILE": os.devnull}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def left_out(folder: str, names: list[str]) -> set[str]:
    made = {"build", "dist"} if Path(folder) == ROOT else set()
    return {name for name in names if name in made or name == "__pycache__" or name.startswith(".")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    work = tmp_path_factory.mktemp("build")
    shutil.copytree(ROOT, work / "tree", ignore=left_out)
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", work / "dist", work / "tree", cwd=work)
    (built,) = (work / "dist").iterdir()
    return built


@pytest.fixture(scope="module")
def bin_folder(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment that holds the wheel and what the wheel asks for."""
    if not any(WHEELS.glob("*.whl")):
        pytest.fail(f"no wheels of the dependencies in {WHEELS}: run `make wheels`, or set KIFOLD_WHEELS")
    work = tmp_path_factory.mktemp("installed")
    venv.create(work / "env", with_pip=False, symlinks=True)
    commands = work / "env" / "bin"
    offline = ("--no-index", "--find-links", WHEELS, "--no-compile")
    run(sys.executable, "-m", "pip", "--python", commands / "python", "install", *offline, wheel, cwd=work)
    return commands


def test_it_holds_the_files_of_the_tree_under_one_name(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    tree = {
        f"kifold/{path.relative_to(ROOT).as_posix()}"
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }
    assert {name.split("/")[0] for name in names} == {"kifold", f"kifold-{VERSION}.dist-info"}
    assert {name for name in names if name.startswith("kifold/")} == tree
    assert {f"kifold/{folder}/py.typed" for folder in FOLDERS} <= names


def test_it_leaves_the_top_level_alone(bin_folder: Path, tmp_path: Path) -> None:
    question = f"import importlib.util as u; print([name for name in {FOLDERS!r} if u.find_spec(name)])"
    assert run(bin_folder / "python", "-c", question, cwd=tmp_path).strip() == "[]"


def test_the_command_tells_its_version(bin_folder: Path, tmp_path: Path) -> None:
    assert VERSION in run(bin_folder / "kifold", "--version", cwd=tmp_path)


def test_the_demo_runs(bin_folder: Path, tmp_path: Path) -> None:
    report = run(bin_folder / "kifold", "demo", cwd=tmp_path)
    rulesets = PROJECT["project"]["entry-points"]["kifold.rulesets"]
    assert [name for name in rulesets if name not in report] == []
