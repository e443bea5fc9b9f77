"""The compose file against the compose schema, the commands, the code and the image that it names."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from ipaddress import ip_address, ip_network
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from ruamel.yaml import YAML

from cli.run import run
from engine.boxes import Limits
from engine.sandbox import bubblewrap
from engine.toolchains import build
from engine.toolchains.languages import languages
from ladder.settings import web_settings_from
from tests.containers.__main__ import ACTS
from tests.containers.deployed import IMAGE, SERVICES
from tests.containers.engine import STAND_INS
from tests.processes import finished
from tests.sources import CHECKOUT, sources
from workers.jobs import RECORDING_PAUSES_S

FILE = CHECKOUT / "deploy" / "compose.yaml"
OURS = ("migrate", "scheduler", "worker", "web", "metrics", "cli")
REACHED_FROM_OUTSIDE = {"web": "8210", "prometheus": "9090"}
SENDS_NOTICES = "scheduler"
"""Services that publish a port."""
LONGEST_MATCH_S = 60
PYTHON_MB = 256


@cache
def compose() -> dict[str, Any]:
    text = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", FILE.read_text("utf-8"))
    loaded: dict[str, Any] = YAML(typ="safe").load(text)
    return loaded


def service(name: str) -> dict[str, Any]:
    found: dict[str, Any] = compose()["services"][name]
    return found


def schema_verdict(file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(file)]
    return finished(command)


def seconds(text: str) -> int:
    return int(text.removesuffix("s"))


def megabytes(text: str) -> int:
    return int(text[:-1]) * {"m": 1, "g": 1024}[text[-1]]


@cache
def texts_in(file: Path) -> set[str]:
    nodes = ast.walk(ast.parse(file.read_text("utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def that_nobody_reads(variables: Iterable[str]) -> set[str]:
    """Return those that are no text of the code. Only files with such a name in them are parsed."""
    code = [(file, file.read_text("utf-8")) for file in sources()]
    return {name for name in variables if not any(name in text and name in texts_in(file) for file, text in code)}


def test_the_file_fits_the_compose_schema() -> None:
    done = schema_verdict(FILE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_misspelt_key_does_not_fit_the_schema(tmp_path: Path) -> None:
    wrong = tmp_path / "compose.yaml"
    wrong.write_text(FILE.read_text("utf-8").replace("stop_grace_period:", "stop_grace_time:"), "utf-8")
    done = schema_verdict(wrong)
    assert done.returncode == 1
    assert "stop_grace_time" in done.stdout


@pytest.mark.parametrize("name", OURS)
def test_each_command_is_one_of_ladders(name: str) -> None:
    assert run([*service(name)["command"], "--help"]) == 0


def test_an_unknown_option_is_refused_even_with_help() -> None:
    assert run([*service("worker")["command"], "--no-such-option", "--help"]) == 2


@pytest.mark.parametrize("name", OURS)
def test_each_variable_is_one_that_somebody_reads(name: str) -> None:
    """A misspelt name would be ignored without a word."""
    named = set(service(name)["environment"])
    assert {"LADDER_DATABASE_URL", "LADDER_BROKER_URL"} <= named
    assert that_nobody_reads(named) == set()


@pytest.mark.parametrize("name", OURS)
def test_addresses_name_services_that_are_waited_for(name: str) -> None:
    environment, awaited = service(name)["environment"], service(name)["depends_on"]
    hosts = {urlsplit(environment[variable]).hostname for variable in ("LADDER_DATABASE_URL", "LADDER_BROKER_URL")}
    assert hosts == {"postgres", "redis"}
    for host in hosts if name != "migrate" else {"postgres"}:
        assert awaited[host] == {"condition": "service_healthy"}
        assert "healthcheck" in service(str(host))


@pytest.mark.parametrize("name", ["scheduler", "worker", "web", "metrics"])
def test_the_schema_is_there_before_a_service_uses_it(name: str) -> None:
    assert service(name)["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert service("migrate")["restart"] == "no"


def test_a_command_does_not_migrate_each_time() -> None:
    assert set(service("cli")["depends_on"]) == {"postgres", "redis"}


@pytest.mark.parametrize("name", ["scheduler", "worker", "metrics"])
def test_each_service_is_asked_how_it_is_by_a_command_of_ladders(name: str) -> None:
    kind, program, *words = service(name)["healthcheck"]["test"]
    assert (kind, program, words) == ("CMD", "ladder", ["health", name])
    assert run([*words, "--help"]) == 0


def test_logs_are_bounded_by_a_driver_that_other_engines_have_too() -> None:
    assert {settings["logging"]["driver"] for settings in compose()["services"].values()} == {"json-file"}
    assert all("max-size" in settings["logging"]["options"] for settings in compose()["services"].values())


def test_prometheus_asks_the_service_that_listens_and_reads_files_that_are_there() -> None:
    listens_on = service("metrics")["command"][-1].rpartition(":")[2]
    mounted = [volume.split(":") for volume in service("prometheus")["volumes"] if volume.startswith("./")]
    assert all((FILE.parent / source).is_file() for source, *_ in mounted)
    config = YAML(typ="safe").load((FILE.parent / "prometheus.yaml").read_text("utf-8"))
    (job,) = config["scrape_configs"]
    assert job["static_configs"] == [{"targets": [f"metrics:{listens_on}"]}]
    targets = {Path(target).name for _, target, _ in mounted}
    assert {"prometheus.yaml", *config["rule_files"]} == targets


def test_the_password_comes_from_a_file_of_the_operators() -> None:
    for name in ("postgres", *OURS):
        assert service(name)["secrets"] == ["database-password"]
        files = [value for variable, value in service(name)["environment"].items() if variable.endswith("_FILE")]
        assert files == ["/run/secrets/database-password"], name
        assert not {"PGPASSWORD", "POSTGRES_PASSWORD"} & set(service(name)["environment"])
    assert all(urlsplit(service(name)["environment"]["LADDER_DATABASE_URL"]).password is None for name in OURS)
    file = compose()["secrets"]["database-password"]["file"]
    assert f"deploy/{Path(file).parent}/" in (CHECKOUT / ".gitignore").read_text("utf-8").split()


def test_nothing_but_the_pages_and_the_metrics_can_be_reached_from_outside() -> None:
    for name, settings in compose()["services"].items():
        is_open = name in REACHED_FROM_OUTSIDE
        assert settings["networks"] == (["inside", "outside"] if is_open or name == SENDS_NOTICES else ["inside"]), name
        assert not {"network_mode", "privileged", "cap_add", "devices", "pid", "ipc"} & set(settings), name
        port = REACHED_FROM_OUTSIDE.get(name)
        assert settings.get("ports") == ([f"127.0.0.1:{port}:{port}"] if is_open else None), name
    assert compose()["networks"]["inside"] == {"internal": True}


def test_the_pages_are_for_those_who_ask_for_them_behind_a_proxy_of_this_machine() -> None:
    web = service("web")
    settings = web_settings_from(web["environment"])
    (published,) = web["ports"]
    (network,) = compose()["networks"]["outside"]["ipam"]["config"]
    assert web["profiles"] == ["web"]
    assert published == "127.0.0.1:8210:8210"
    assert web["command"][1:] == ["--host", "0.0.0.0", "--port", "8210"]  # noqa: S104 - of the container
    assert settings.is_served
    assert settings.proxies == (ip_network(network["gateway"]),)
    assert ip_address(network["gateway"]) in ip_network(network["subnet"])
    assert web["environment"]["LADDER_HOME"].startswith(f"{web['tmpfs'][0].split(':')[0]}/"), "all else is read-only"


def test_every_image_has_a_version_and_workers_alone_have_compilers() -> None:
    """Ours is this project's; nobody else's is whatever is newest today."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    for name in OURS:
        is_worker = name == "worker"
        assert service(name)["image"] == f"{project['name']}:{project['version']}{'' if is_worker else '-commands'}"
        assert service(name)["build"]["target"] == ("worker" if is_worker else "commands")
    for name in set(compose()["services"]) - set(OURS):
        assert re.fullmatch(r"(prom/)?\w+:v?\d[\w.-]*", service(name)["image"])


@pytest.mark.parametrize("name", OURS)
def test_our_services_run_as_the_images_user_without_privileges(name: str) -> None:
    dockerfile = (CHECKOUT / "Dockerfile").read_text("utf-8")
    assert f"\nUSER {service(name)['user']}\n" in dockerfile
    assert service(name)["cap_drop"] == ["ALL"]
    assert "no-new-privileges" in service(name)["security_opt"]
    assert service(name)["read_only"]
    assert service(name)["init"]


def test_the_workers_profile_is_the_one_beside_the_file() -> None:
    """Compose reads it relative to its own folder."""
    profiles = [one.partition("=")[2] for one in service("worker")["security_opt"] if one.startswith("seccomp=")]
    assert [(FILE.parent / profile).is_file() for profile in profiles] == [True]


def test_bots_are_built_where_the_worker_may_write() -> None:
    """The workers' volume lies over the folder that the image names, and makes, for built bots."""
    dockerfile = (CHECKOUT / "Dockerfile").read_text("utf-8")
    folder = service("worker")["volumes"][0].partition(":")[2]
    assert f" LADDER_CACHE={folder}\n" in dockerfile
    assert re.search(rf"install -d -o ladder -g ladder .* {folder} ", dockerfile)


def test_a_worker_that_gets_a_signal_to_stop_has_time_to_finish() -> None:
    assert seconds(service("worker")["stop_grace_period"]) >= LONGEST_MATCH_S + sum(RECORDING_PAUSES_S)


def test_a_workers_limits_are_wider_than_those_of_what_it_runs() -> None:
    """Or the container's limit, not the bot's own, would end a bot that did nothing wrong."""
    match_mb = 2 * Limits().memory_mb
    build_mb = max(way.build_memory_mb for language in languages().values() for way in language.toolchains)
    needed_mb = max(match_mb, build_mb + bubblewrap.SCRATCH_MB) + PYTHON_MB
    settings = service("worker")
    assert megabytes(settings["mem_limit"]) >= needed_mb
    assert settings["memswap_limit"] == settings["mem_limit"]
    assert settings["pids_limit"] >= 2 * max(2 * Limits().threads, build.BUILD_THREADS)


def test_the_readme_runs_a_worker_by_hand_as_the_compose_file_does() -> None:
    """On further machines there is no compose file; what the sandbox needs must not be left out there."""
    readme = (CHECKOUT / "deploy" / "README.md").read_text("utf-8")
    settings = service("worker")
    command = re.search(r"docker run --detach .*?\n\n", readme, re.DOTALL)
    assert command is not None
    words = command[0].replace("seccomp=deploy/", "seccomp=").split()
    pairs = set(pairwise(words))
    for option in settings["security_opt"]:
        assert ("--security-opt", option) in pairs
    assert {"--init", "--read-only"} <= set(words)
    for flag, value in (
        ("--cap-drop", settings["cap_drop"][0]),
        ("--tmpfs", settings["tmpfs"][0]),
        ("--memory", settings["mem_limit"]),
        ("--memory-swap", settings["memswap_limit"]),
        ("--pids-limit", str(settings["pids_limit"])),
        ("--stop-timeout", str(seconds(settings["stop_grace_period"]))),
        ("--volume", f"ladder_{settings['volumes'][0]}"),
    ):
        assert (flag, value) in pairs


def test_where_no_engine_answers_or_can_be_made_it_says_what_is_missing_and_changes_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": str(tmp_path)}
    command = [sys.executable, "-m", "tests.containers"]
    done = finished(command, cwd=CHECKOUT, env=environment)
    missing = "to make one takes debootstrap: install debootstrap" if os.geteuid() == 0 else "to start one takes root"
    assert done.returncode == 5, done.stderr
    assert re.fullmatch(rf" *[\d.]+ s  no container engine answers here, and {missing}\n", done.stdout)
    assert done.stderr == ""


def test_its_images_have_the_names_that_the_deployment_asks_for() -> None:
    base = re.search(r"^ARG BASE=(.*)@sha256:[0-9a-f]{64}$", (CHECKOUT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert base is not None
    assert {"base": base[1], "postgres": service("postgres")["image"], "redis": service("redis")["image"]} == STAND_INS
    assert service("worker")["image"] == IMAGE
    assert set(SERVICES) <= set(compose()["services"])


def test_each_act_says_what_it_does() -> None:
    assert all(act.__doc__ for act in ACTS)
