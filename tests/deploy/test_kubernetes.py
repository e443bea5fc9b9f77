"""The manifests for Kubernetes against the compose file, the commands and the code.

There is no schema of Kubernetes here to hold them against: `deploy/README.md` says how that was done by hand.
"""

from functools import cache
from typing import Any

import pytest
from ruamel.yaml import YAML

from cli.run import run
from tests.deploy.test_compose import megabytes, seconds, service, texts_in_the_code
from tests.sources import CHECKOUT

FILE = CHECKOUT / "deploy" / "kubernetes.yaml"
PARTS = {
    "ladder-migrate": "migrate",
    "ladder-scheduler": "scheduler",
    "ladder-web": "web",
    "ladder-worker": "worker",
}
"""The same thing here and in the compose file."""
SAID_IN_THE_FILE = {"LADDER_WEB_MODE": "served", "LADDER_HOME": "/tmp/ladder"}  # noqa: S108 - a folder of the container
"""What the pages are given that is no secret and the same everywhere."""


@cache
def documents() -> dict[tuple[str, str], dict[str, Any]]:
    found = YAML(typ="safe").load_all(FILE.read_text("utf-8"))
    return {(document["kind"], document["metadata"]["name"]): document for document in found}


def workload(name: str) -> dict[str, Any]:
    return documents().get(("Job", name)) or documents()["Deployment", name]


def pod(name: str) -> dict[str, Any]:
    found: dict[str, Any] = workload(name)["spec"]["template"]["spec"]
    return found


def container(name: str) -> dict[str, Any]:
    (found,) = pod(name)["containers"]
    return dict(found)


def gigabytes(text: str) -> int:
    return int(text.removesuffix("Gi"))


def test_there_is_one_manifest_for_each_part_and_those_of_the_network() -> None:
    assert set(documents()) == {
        ("Job", "ladder-migrate"),
        ("Deployment", "ladder-scheduler"),
        ("Deployment", "ladder-web"),
        ("Service", "ladder-web"),
        ("Deployment", "ladder-worker"),
        ("NetworkPolicy", "ladder"),
        ("NetworkPolicy", "ladder-web"),
    }


@pytest.mark.parametrize("name", PARTS)
def test_each_pod_is_chosen_by_the_labels_that_it_bears(name: str) -> None:
    labels = workload(name)["spec"]["template"]["metadata"]["labels"]
    selector = workload(name)["spec"].get("selector", {}).get("matchLabels", labels)
    assert selector == labels == {"app": "ladder", "part": PARTS[name]}


@pytest.mark.parametrize("name", PARTS)
def test_each_command_is_one_of_ladders_and_the_image_is_the_compose_files(name: str) -> None:
    assert run([*container(name)["args"], "--help"]) == 0
    assert container(name)["image"] == service(PARTS[name])["image"]


@pytest.mark.parametrize("name", PARTS)
def test_each_variable_is_one_that_somebody_reads_and_comes_from_the_secret(name: str) -> None:
    variables = container(name)["env"]
    assert {variable["name"] for variable in variables} <= texts_in_the_code()
    assert {"LADDER_DATABASE_URL", "LADDER_BROKER_URL"} <= {variable["name"] for variable in variables}
    said_here = {variable["name"]: variable["value"] for variable in variables if "value" in variable}
    assert said_here == (SAID_IN_THE_FILE if name == "ladder-web" else {})
    secrets = [variable["valueFrom"]["secretKeyRef"] for variable in variables if variable["name"] not in said_here]
    assert {secret["name"] for secret in secrets} == {"ladder"}


@pytest.mark.parametrize("name", PARTS)
def test_each_part_runs_as_the_images_user_without_privileges(name: str) -> None:
    user, inside = pod(name)["securityContext"], container(name)["securityContext"]
    assert user["runAsNonRoot"]
    assert f"{user['runAsUser']}:{user['runAsGroup']}" == service(PARTS[name])["user"]
    assert inside["capabilities"] == {"drop": ["ALL"]}
    assert inside["allowPrivilegeEscalation"] is False
    assert inside["readOnlyRootFilesystem"] is True
    assert not inside.get("privileged")
    assert pod(name)["hostUsers"] is False
    assert pod(name)["automountServiceAccountToken"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod(name))
    assert not [volume for volume in pod(name)["volumes"] if "emptyDir" not in volume]


@pytest.mark.parametrize("name", PARTS)
def test_every_volume_is_mounted_and_every_mount_is_a_volume(name: str) -> None:
    assert {mount["name"] for mount in container(name)["volumeMounts"]} == {
        volume["name"] for volume in pod(name)["volumes"]
    }


def test_the_worker_has_what_its_sandbox_needs() -> None:
    options = service("worker")["security_opt"]
    assert {"seccomp=worker-seccomp.json", "systempaths=unconfined", "apparmor=unconfined"} <= set(options)
    user = pod("ladder-worker")["securityContext"]
    assert user["seccompProfile"] == {"type": "Localhost", "localhostProfile": "ladder/worker-seccomp.json"}
    assert user["appArmorProfile"] == {"type": "Unconfined"}
    assert container("ladder-worker")["securityContext"]["procMount"] == "Unmasked"
    assert pod("ladder-worker")["shareProcessNamespace"], "somebody reaps orphans, as `init` does there"


def test_only_the_worker_may_do_what_the_runtime_forbids_by_default() -> None:
    others = set(PARTS) - {"ladder-worker"}
    assert others
    for name in others:
        assert pod(name)["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert "procMount" not in container(name)["securityContext"]


def test_the_head_says_where_the_worker_looks_for_the_profile() -> None:
    profile = pod("ladder-worker")["securityContext"]["seccompProfile"]["localhostProfile"]
    head = FILE.read_text("utf-8").partition("---")[0]
    assert f"deploy/worker-seccomp.json /var/lib/kubelet/seccomp/{profile}" in head


def test_the_head_makes_every_key_of_the_secret_that_is_asked_for() -> None:
    head = FILE.read_text("utf-8").partition("---")[0]
    variables = [variable for name in PARTS for variable in container(name)["env"] if "valueFrom" in variable]
    asked = {variable["valueFrom"]["secretKeyRef"]["key"] for variable in variables}
    assert asked
    assert all(f"--from-literal={key}=" in head for key in asked)


def test_the_worker_has_a_core_and_the_memory_for_each_match_and_no_quota() -> None:
    settings = container("ladder-worker")
    matches = int(settings["args"][settings["args"].index("--concurrency") + 1])
    resources = settings["resources"]
    assert int(resources["requests"]["cpu"]) == matches
    assert "cpu" not in resources["limits"]
    assert resources["limits"]["memory"] == resources["requests"]["memory"]
    assert gigabytes(resources["limits"]["memory"]) * 1024 >= matches * megabytes(service("worker")["mem_limit"])


def test_two_workers_never_share_a_node_whose_cores_each_would_think_its_own() -> None:
    (rule,) = pod("ladder-worker")["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert rule["topologyKey"] == "kubernetes.io/hostname"
    labels = workload("ladder-worker")["spec"]["template"]["metadata"]["labels"]
    assert rule["labelSelector"]["matchLabels"].items() <= labels.items()


def test_a_worker_that_gets_a_signal_to_stop_has_as_long_as_elsewhere() -> None:
    assert pod("ladder-worker")["terminationGracePeriodSeconds"] >= seconds(service("worker")["stop_grace_period"])


def test_bots_are_built_where_the_image_expects_it() -> None:
    folder = service("worker")["volumes"][0].partition(":")[2]
    assert folder in {mount["mountPath"] for mount in container("ladder-worker")["volumeMounts"]}


def test_the_network_policy_lets_no_connection_in_and_covers_all_our_pods() -> None:
    policy = documents()["NetworkPolicy", "ladder"]["spec"]
    assert policy["podSelector"] == {"matchLabels": {"app": "ladder"}}
    assert set(policy["policyTypes"]) == {"Ingress", "Egress"}
    assert policy["ingress"] == []
    assert {rule["port"] for rules in policy["egress"] for rule in rules["ports"]} == {5432, 6379, 53}


def test_the_pages_alone_are_reached_at_the_port_on_which_they_listen() -> None:
    pages = container("ladder-web")
    (port,) = pages["ports"]
    policy = documents()["NetworkPolicy", "ladder-web"]["spec"]
    front = documents()["Service", "ladder-web"]["spec"]
    assert pages["args"][-2:] == ["--port", str(port["containerPort"])]
    assert front["selector"] == policy["podSelector"]["matchLabels"] == {"app": "ladder", "part": "web"}
    assert policy["policyTypes"] == ["Ingress"]
    assert [rule["port"] for rules in policy["ingress"] for rule in rules["ports"]] == [port["containerPort"]]
    assert front["ports"][0]["targetPort"] == pages["readinessProbe"]["httpGet"]["port"] == port["name"]
    assert {"LADDER_PUBLIC_URL", "LADDER_TRUSTED_PROXIES"} <= {variable["name"] for variable in pages["env"]}
