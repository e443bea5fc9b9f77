"""Alerts and the dashboard: each fault raises its alert and no other, and they name what there is to be named."""

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from ladder.views.metrics import METRICS
from tests.chaos.alerts import HELD, sooner
from tests.documents.test_links import anchors
from tests.processes import finished
from tests.sources import CHECKOUT
from tests.throwaway import written

ALERTS = CHECKOUT / "deploy" / "alerts.yaml"
DASHBOARD = CHECKOUT / "deploy" / "dashboard.json"
RULES: Mapping[str, Any] = {rule["alert"]: rule for rule in YAML(typ="safe").load(ALERTS)["groups"][0]["rules"]}
SUFFIX = re.compile("_(bucket|sum|count)$")

NOW_S = 7200
"""Of the tests' clock, which begins at 0; a sample every half minute."""
HEALTHY = {
    'ladder_build_info{version="1"}': "1x240",
    'ladder_up{service="database"}': "1x240",
    'ladder_up{service="broker"}': "1x240",
    'ladder_last_round_timestamp_seconds{round="scheduler"}': "0+30x240",
    'ladder_last_round_timestamp_seconds{round="schedule"}': "0+30x240",
    'ladder_workers{state="playing",tier="cgroup"}': "4x240",
    "ladder_workers_wanted": "4x240",
    'ladder_matches{game="g",league="l",state="running"}': "4x240",
    'ladder_oldest_waiting_seconds{kind="board"}': "60x240",
    'ladder_oldest_waiting_seconds{kind="gauntlet"}': "9000x240",
    'ladder_matches_finished_total{game="g",verdict="ok"}': "0+10x240",
    'ladder_failed_attempts_total{cause="worker_lost"}': "0x200 1x40",
    'ladder_failed_attempts_total{cause="host_busy"}': "0+0.1x240",
    'ladder_workers_refused_total{reason="guarantees"}': "1x240",
    'ladder_builds_rejected_total{reason="bot"}': "0+1x240",
    'ladder_builds_rejected_total{reason="not_tried"}': "1x240",
    "ladder_leagues_without_boss": "0x240",
    "ladder_no_room": "0x240",
    'ladder_database_connections{state="idle"}': "50x240",
    "ladder_database_connections_limit": "100x240",
}
"""A ladder that plays: a process was killed, a machine is busy now and then, and a bot does not build."""
GONE = ""
OF_DATABASE = [name for name in HEALTHY if not name.startswith(("ladder_up", "ladder_build_info"))]
FAULTS: Mapping[str, tuple[Mapping[str, str], Mapping[str, str]]] = {
    "LadderUnseen": (dict.fromkeys(HEALTHY, GONE), {}),
    "LadderDatabaseDown": (
        {name: f"{HEALTHY[name].split('x')[0]}x200 stale" for name in OF_DATABASE}
        | {'ladder_up{service="database"}': "1x200 0x40"},
        {"service": "database"},
    ),
    "LadderBrokerDown": (
        {
            'ladder_up{service="broker"}': "1x160 0x80",
            'ladder_last_round_timestamp_seconds{round="schedule"}': "0+30x160 4800x80",
            'ladder_matches_finished_total{game="g",verdict="ok"}': "0+10x160 1600x80",
        },
        {"service": "broker"},
    ),
    "LadderSchedulerMissing": (
        {
            'ladder_last_round_timestamp_seconds{round="scheduler"}': "0+30x200 6000x40",
            'ladder_last_round_timestamp_seconds{round="schedule"}': "0+30x200 6000x40",
        },
        {"round": "scheduler"},
    ),
    "LadderNoMatchesMade": (
        {'ladder_last_round_timestamp_seconds{round="schedule"}': "0+30x200 6000x40"},
        {"round": "schedule"},
    ),
    "LadderNoWorkers": (
        {
            'ladder_workers{state="playing",tier="cgroup"}': "4x180 stale",
            'ladder_matches{game="g",league="l",state="running"}': "4x180 stale",
            'ladder_matches_finished_total{game="g",verdict="ok"}': "0+10x180 1800x60",
            'ladder_last_round_timestamp_seconds{round="schedule"}': "0+30x180 5400x60",
            'ladder_oldest_waiting_seconds{kind="board"}': "60x120 0+30x120",
        },
        {},
    ),
    "LadderMachineOutOfReach": ({'ladder_workers{state="out_of_reach",tier="cgroup"}': "0x200 2x40"}, {}),
    "LadderWorkWaits": ({'ladder_oldest_waiting_seconds{kind="board"}': "0+30x240"}, {"kind": "board"}),
    "LadderNothingFinishes": ({'ladder_matches_finished_total{game="g",verdict="ok"}': "0+10x170 1700x70"}, {}),
    "LadderAttemptsFail": ({'ladder_failed_attempts_total{cause="host_busy"}': "0x180 0+3x60"}, {"cause": "host_busy"}),
    "LadderWorkersRefuse": (
        {'ladder_workers_refused_total{reason="guarantees"}': "1x220 5x20"},
        {"reason": "guarantees"},
    ),
    "LadderBuildsGivenUp": (
        {'ladder_builds_rejected_total{reason="not_tried"}': "1x220 2x20"},
        {"reason": "not_tried"},
    ),
    "LadderLeagueWithoutBoss": ({"ladder_leagues_without_boss": "0x160 1x80"}, {}),
    "LadderNoRoom": ({"ladder_no_room": "0x200 1x40"}, {}),
    "LadderConnectionsNearlyUsed": ({'ladder_database_connections{state="idle"}': "50x200 95x40"}, {}),
}
"""For each alert what differs from a healthy ladder, and the labels that it is to have."""


def alert_of(name: str, labels: Mapping[str, str]) -> dict[str, Any]:
    rule = RULES[name]
    said = dict(rule["annotations"])
    for label, value in labels.items():
        said["summary"] = said["summary"].replace(f"{{{{ $labels.{label} }}}}", value)
    return {"exp_labels": {**labels, **rule["labels"]}, "exp_annotations": said}


def a_test(name: str, series: Mapping[str, str], raised: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    return {
        "name": name,
        "interval": "30s",
        "input_series": [{"series": one, "values": values} for one, values in series.items() if values != GONE],
        "alert_rule_test": [
            {"eval_time": f"{NOW_S}s", "alertname": alert, "exp_alerts": raised.get(alert, [])} for alert in RULES
        ],
    }


def test_each_fault_raises_its_alert_and_no_other(tmp_path: Path) -> None:
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not installed")
    tests = [a_test("a healthy ladder", HEALTHY, {})]
    for name, (changes, labels) in FAULTS.items():
        tests.append(a_test(name, {**HEALTHY, **changes}, {name: [alert_of(name, labels)]}))
    script = {"rule_files": [str(ALERTS)], "evaluation_interval": "1m", "tests": tests}  # as Prometheus does by itself
    place = written(tmp_path / "alerts.test.json", json.dumps(script))
    done = finished(["promtool", "test", "rules", place])
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_copy_by_which_make_chaos_goes_has_the_same_rules_and_waits_no_minutes() -> None:
    copy = sooner(ALERTS.read_text("utf-8"))
    rules = {rule["alert"]: rule for rule in YAML(typ="safe").load(copy)["groups"][0]["rules"]}
    assert set(rules) == set(RULES)
    assert not re.search(r"\d[mh]\b", " ".join(f"{rule['expr']} {rule.get('for', '')}" for rule in rules.values()))
    assert (rules["LadderNoWorkers"]["for"], rules["LadderDatabaseDown"]["for"]) == ("15s", "3s")
    assert rules["LadderWorkWaits"]["expr"].splitlines()[0].endswith("> 180")
    assert "> 10\n" in rules["LadderAttemptsFail"]["expr"], "that is a number of attempts"


def test_every_alert_is_tried_and_has_its_line_in_the_page_for_operators() -> None:
    assert {alert for alert, _ in HELD.values()} <= set(FAULTS) == set(RULES)
    known = anchors(CHECKOUT / "docs" / "operations.md")
    for name, rule in RULES.items():
        page, _, anchor = rule["annotations"]["runbook"].partition("#")
        assert (page, anchor) == ("docs/operations.md", name.lower())
        assert anchor in known


def named_in(expressions: str) -> set[str]:
    """Return the metrics that are named, without what a histogram adds to its name."""
    return {name if name in METRICS else SUFFIX.sub("", name) for name in re.findall(r"\bladder_\w+", expressions)}


def test_every_metric_that_an_alert_names_exists() -> None:
    assert named_in(" ".join(rule["expr"] for rule in RULES.values())) <= set(METRICS)


def test_the_dashboard_is_one_of_grafana_and_every_metric_that_it_names_exists() -> None:
    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    assert dashboard["schemaVersion"] >= 39
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert all(panel["title"] and panel["targets"] for panel in panels)
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]
    assert named_in(" ".join(expressions)) == set(METRICS) - {"ladder_build_info"}


def test_prometheus_understands_each_expression_of_the_dashboard(tmp_path: Path) -> None:
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not installed")
    panels = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]
    rules = [{"record": f"rule_{number}", "expr": expression} for number, expression in enumerate(expressions)]
    place = written(tmp_path / "rules.json", json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = finished(["promtool", "check", "rules", place])
    assert done.returncode == 0, done.stdout + done.stderr
