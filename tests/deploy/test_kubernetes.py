"""The manifests for Kubernetes against the compose file, the commands, the code and kustomize.

There is no schema of Kubernetes here to hold them against: `deploy/README.md` says how that was done by hand.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from cli.run import run
from tests.deploy.test_compose import megabytes, seconds, service, that_nobody_reads
from tests.patience import patience_s
from tests.processes import finished
from tests.sources import CHECKOUT

FOLDER = CHECKOUT / "deploy" / "kubernetes"
BASE, EXAMPLE = FOLDER / "base", FOLDER / "example"
AUTOSCALE = CHECKOUT / "deploy" / "autoscale.yaml"
WORKLOADS = ("Deployment", "Job")
VERSION = service("worker")["image"].partition(":")[2]
PARTS = {
    f"ladder-migrate-{VERSION.replace('.', '-')}": "migrate",
    "ladder-scheduler": "scheduler",
    "ladder-web": "web",
    "ladder-metrics": "metrics",
    "ladder-worker": "worker",
}
"""The same thing here and in the compose file."""
PROBES = {"scheduler": "scheduler", "web": "pages", "metrics": "metrics", "worker": "worker"}
SAID_IN_THE_FILE = {"LADDER_HOME": "/tmp/ladder"}  # noqa: S108 - a folder of the container
NAME_SERVERS = 53
COMPLAINTS_THAT_STAND = {
    "CKV_K8S_8": "the profile's pod serves nothing that could be asked",
    "CKV_K8S_9": "likewise",
    "CKV_K8S_11": "a limit on CPU is a quota: when it is used up a bot in its turn is stopped, or a match not recorded",
    "CKV_K8S_15": "an image by its digest is the same wherever it comes from, and a node may be without the registry",
    "CKV_K8S_23": "the kubelet's folder of profiles is root's",
    "CKV_K8S_31": "the workers' own profile allows less than the runtime's, but for namespaces and mounts",
    "CKV_K8S_40": "the kubelet's folder of profiles is root's",
    "CKV_K8S_43": "digests are those of the operator's registry, and stand in the overlay",
}
"""What checkov 3 says of the example and is right as it is, with the reason."""


def loaded(file: Path) -> Iterator[dict[str, Any]]:
    yield from YAML(typ="safe").load_all(file.read_text("utf-8"))


def kustomization(folder: Path) -> dict[str, Any]:
    (found,) = loaded(folder / "kustomization.yaml")
    return found


@cache
def documents() -> dict[tuple[str, str], dict[str, Any]]:
    """Return the base's manifests by kind and name, with what its patch adds to each workload."""
    (patch,) = loaded(BASE / kustomization(BASE)["patches"][0]["path"])
    found = chain.from_iterable(loaded(BASE / name) for name in kustomization(BASE)["resources"])
    return {
        (document["kind"], document["metadata"]["name"]): merged(document, {"spec": patch["spec"]})
        if document["kind"] in WORKLOADS
        else document
        for document in found
    }


def merged(onto: Any, patch: Any) -> Any:
    """Return what a strategic merge makes of two values: lists of named things are joined by the names."""
    if isinstance(onto, dict) and isinstance(patch, dict):
        return {key: merged(onto.get(key), patch.get(key)) for key in {**onto, **patch}}
    if isinstance(onto, list) and isinstance(patch, list):
        both = [{key_of(item): item for item in items} for items in (onto, patch)]
        return list(merged(*both).values())
    return onto if patch is None else patch


def key_of(item: dict[str, Any]) -> str:
    return str(item.get("mountPath") or item["name"])


def workload(name: str) -> dict[str, Any]:
    return documents().get(("Job", name)) or documents()["Deployment", name]


def pod(name: str) -> dict[str, Any]:
    found: dict[str, Any] = workload(name)["spec"]["template"]["spec"]
    return found


def container(name: str) -> dict[str, Any]:
    (found,) = pod(name)["containers"]
    return dict(found)


def policy(name: str) -> dict[str, Any]:
    found: dict[str, Any] = documents()["NetworkPolicy", name]["spec"]
    return found


def ports(rules: list[dict[str, Any]]) -> set[int]:
    return {port["port"] for rule in rules for port in rule["ports"]}


def in_order(value: Any) -> Any:
    """Return the same without an order of named things and without the namespace, which kustomize adds to all."""
    if isinstance(value, dict):
        return {key: in_order(item) for key, item in value.items() if key != "namespace"}
    if isinstance(value, list):
        return sorted((in_order(item) for item in value), key=lambda item: json.dumps(item, sort_keys=True))
    return value


def made_by_kustomize(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    program = shutil.which("kubectl")
    if program is None:
        pytest.skip("kubectl is not installed")
    command = [program, "kustomize", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience_s(), check=True)
    found = YAML(typ="safe").load_all(done.stdout)
    return {(document["kind"], document["metadata"]["name"]): document for document in found}


def gigabytes(text: str) -> int:
    return int(text.removesuffix("Gi"))


def test_there_is_one_manifest_for_each_part_and_what_is_around_them() -> None:
    kinds = {"Job", "Deployment"}
    assert {name for kind, name in documents() if kind in kinds} == set(PARTS)
    assert {key for key in documents() if key[0] not in kinds} == {
        ("Namespace", "ladder"),
        ("DaemonSet", "ladder-profile"),
        ("Service", "ladder-web"),
        ("Service", "ladder-metrics"),
        ("PodDisruptionBudget", "ladder-worker"),
        *(
            ("NetworkPolicy", name)
            for name in ("ladder", "ladder-services", "ladder-notices", "ladder-web", "ladder-metrics")
        ),
    }


def test_all_that_the_kustomizations_name_is_there_and_all_that_is_there_is_named() -> None:
    for folder in (BASE, EXAMPLE):
        named = [*kustomization(folder)["resources"], *(patch["path"] for patch in kustomization(folder)["patches"])]
        assert all((folder / name).exists() for name in named)
        assert {file.name for file in folder.iterdir()} - {"kustomization.yaml"} == set(named) - {"../base"}
    for patch in loaded(EXAMPLE / "network.yaml"):
        assert (patch["kind"], patch["metadata"]["name"]) in documents()


def test_kustomize_makes_the_same_of_the_base() -> None:
    made = {key: document for key, document in made_by_kustomize(BASE).items() if key[0] != "ConfigMap"}
    assert set(made) == set(documents())
    with_map = {("Deployment", "ladder-web"), ("Deployment", "ladder-scheduler")}  # whose map's name ends with a hash
    for key in set(made) - with_map:
        assert in_order(made[key]) == in_order(documents()[key]), key


def test_the_example_names_its_own_image_addresses_and_number_of_workers() -> None:
    made = made_by_kustomize(EXAMPLE)
    images = {
        document["spec"]["template"]["spec"]["containers"][0]["image"].rpartition(":")[0]
        for (kind, _), document in made.items()
        if kind in {*WORKLOADS, "DaemonSet"}
    }
    assert images == {"registry.example/ladder-arena"}
    assert made["Deployment", "ladder-worker"]["spec"]["replicas"] == 2
    assert {document["metadata"].get("namespace", "ladder") for document in made.values()} == {"ladder"}
    egress = made["NetworkPolicy", "ladder-services"]["spec"]["egress"]
    assert "192.0.2" not in str(egress), "the base's addresses are nobody's"
    assert ports(egress) == ports(policy("ladder-services")["egress"])


def test_checkov_complains_of_nothing_but_what_is_meant_so(tmp_path: Path) -> None:
    program = shutil.which("checkov")
    if program is None:
        pytest.skip("checkov is not installed")
    file = tmp_path / "example.yaml"
    YAML(typ="safe").dump_all(made_by_kustomize(EXAMPLE).values(), file)
    command = [program, "--file", str(file), "--framework", "kubernetes", "--compact", "--quiet", "--skip-download"]
    done = finished(command)
    assert set(re.findall(r"^Check: (\w+):", done.stdout, re.MULTILINE)) == set(COMPLAINTS_THAT_STAND), done.stdout


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
def test_each_variable_is_one_that_somebody_reads_and_secrets_are_files(name: str) -> None:
    variables = {variable["name"]: variable["value"] for variable in container(name)["env"]}
    assert that_nobody_reads(variables) == set()
    assert {"LADDER_DATABASE_URL_FILE", "LADDER_BROKER_URL_FILE", "PGPASSWORD_FILE"} <= set(variables)
    plain = {variable: value for variable, value in variables.items() if not variable.endswith("_FILE")}
    assert plain == SAID_IN_THE_FILE | ({"LADDER_WEB_MODE": "served"} if name == "ladder-web" else {})
    (folder,) = {str(Path(value).parent) for variable, value in variables.items() if variable.endswith("_FILE")}
    (mount,) = [mount for mount in container(name)["volumeMounts"] if mount["mountPath"] == folder]
    (volume,) = [volume for volume in pod(name)["volumes"] if volume["name"] == mount["name"]]
    assert volume["secret"]["secretName"] == "ladder"
    assert mount["readOnly"]


@pytest.mark.parametrize("part", PROBES)
def test_each_service_is_asked_how_it_is_by_a_command_of_ladders(part: str) -> None:
    probes = container(f"ladder-{part}")
    program, *words = probes["livenessProbe"]["exec"]["command"]
    assert (program, words) == ("ladder", ["health", PROBES[part]])
    assert run([*words, "--help"]) == 0
    if part != "web":
        assert probes["readinessProbe"]["exec"]["command"] == [program, *words, "--ready"]


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
    assert not [volume for volume in pod(name)["volumes"] if "hostPath" in volume]
    assert all("sizeLimit" in volume.get("emptyDir", {"sizeLimit": 0}) for volume in pod(name)["volumes"])


@pytest.mark.parametrize("name", PARTS)
def test_every_volume_is_mounted_and_every_mount_is_a_volume(name: str) -> None:
    assert {one["name"] for one in container(name)["volumeMounts"]} == {one["name"] for one in pod(name)["volumes"]}


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


def test_each_node_gets_the_profile_that_the_image_brings_where_the_worker_looks_for_it() -> None:
    profile = pod("ladder-worker")["securityContext"]["seccompProfile"]["localhostProfile"]
    node = documents()["DaemonSet", "ladder-profile"]["spec"]["template"]["spec"]
    (inside,) = node["containers"]
    source, target = inside["command"][-1].partition(" 644 ")[2].split()[:2]
    assert node["volumes"][0]["hostPath"]["path"] == "/var/lib/kubelet/seccomp"
    assert target == f"{inside['volumeMounts'][0]['mountPath']}/{profile}"
    dockerfile = (CHECKOUT / "Dockerfile").read_text("utf-8")
    assert f"COPY deploy/{Path(source).name} {Path(source).parent}/\n" in dockerfile
    assert inside["image"] == service("scheduler")["image"]
    assert inside["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_the_namespace_allows_what_the_worker_needs() -> None:
    """`procMount: Unmasked` and AppArmor's `Unconfined` are for privileged namespaces alone."""
    labels = documents()["Namespace", "ladder"]["metadata"]["labels"]
    assert labels == {"pod-security.kubernetes.io/enforce": "privileged"}
    assert kustomization(BASE)["namespace"] == "ladder"


def test_the_head_makes_every_key_of_the_secret_that_is_asked_for() -> None:
    head = (BASE / "kustomization.yaml").read_text("utf-8").partition("\napiVersion")[0]
    keys = {
        Path(variable["value"]).name
        for name in PARTS
        for variable in container(name)["env"]
        if variable["name"].endswith("_FILE")
    }
    assert keys
    assert all(f"--from-literal={key}=" in head for key in keys)
    assert "configmap ladder-ca --from-file=ca.crt" in head
    assert "/etc/ladder/ca" in {mount["mountPath"] for mount in container("ladder-worker")["volumeMounts"]}


def test_a_migration_of_another_version_is_another_job_and_none_stays_for_ever() -> None:
    (job,) = [document for (kind, _), document in documents().items() if kind == "Job"]
    assert job["metadata"]["name"].endswith(VERSION.replace(".", "-"))
    assert job["spec"]["ttlSecondsAfterFinished"] > 0


def test_an_upgrade_of_workers_finds_room_and_nodes_are_emptied_one_by_one() -> None:
    """Where every node has a worker, no further one can be made before an old one has gone."""
    rolling = workload("ladder-worker")["spec"]["strategy"]["rollingUpdate"]
    budget = documents()["PodDisruptionBudget", "ladder-worker"]["spec"]
    assert rolling == {"maxSurge": 0, "maxUnavailable": 1}
    assert budget["maxUnavailable"] == 1
    assert budget["selector"] == workload("ladder-worker")["spec"]["selector"]


def test_workers_are_as_many_as_are_wanted_and_go_slowly() -> None:
    (scaled,) = loaded(AUTOSCALE)
    (trigger,) = scaled["spec"]["triggers"]
    worker = container("ladder-worker")["args"]
    behavior = scaled["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    assert scaled["spec"]["scaleTargetRef"] == {"name": "ladder-worker"}
    assert "replicas" not in workload("ladder-worker")["spec"], "two would disagree"
    assert trigger["metadata"]["query"] == "max(ladder_workers_wanted)"
    assert trigger["metadata"]["threshold"] == worker[worker.index("--concurrency") + 1]
    assert scaled["spec"]["minReplicaCount"] == 0
    assert behavior["scaleUp"]["stabilizationWindowSeconds"] == 0
    assert behavior["scaleDown"]["policies"] == [{"type": "Pods", "value": 1, "periodSeconds": 60}]
    assert behavior["scaleDown"]["stabilizationWindowSeconds"] > pod("ladder-worker")["terminationGracePeriodSeconds"]


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


def test_nothing_is_reached_and_nobody_reaches_it_but_what_a_policy_names() -> None:
    everything = policy("ladder")
    assert everything["podSelector"]["matchExpressions"][0]["values"] == ["ladder", "ladder-profile"]
    assert set(everything["policyTypes"]) == {"Ingress", "Egress"}
    assert not everything["ingress"]
    assert "egress" not in everything
    egress = policy("ladder-services")["egress"]
    assert ports(egress) == {5432, 6379, NAME_SERVERS}
    assert all(rule["to"] for rule in egress), "no rule leads to every address"
    (notices,) = policy("ladder-notices")["egress"]
    assert policy("ladder-notices")["podSelector"]["matchLabels"]["part"] == "scheduler"
    assert "10.0.0.0/8" in notices["to"][0]["ipBlock"]["except"], "they go to the internet alone"
    assert all(rule["from"] for name in ("ladder-web", "ladder-metrics") for rule in policy(name)["ingress"])


@pytest.mark.parametrize("part", ["web", "metrics"])
def test_pages_and_metrics_alone_are_reached_at_the_port_on_which_they_listen(part: str) -> None:
    name = f"ladder-{part}"
    (port,) = container(name)["ports"]
    front = documents()["Service", name]["spec"]
    assert container(name)["args"][-1].rpartition(":")[2] == str(port["containerPort"])
    assert front["selector"] == policy(name)["podSelector"]["matchLabels"] == {"app": "ladder", "part": part}
    assert policy(name)["policyTypes"] == ["Ingress"]
    assert ports(policy(name)["ingress"]) == {port["containerPort"]}
    assert front["ports"][0]["targetPort"] == port["name"]


def test_the_pages_get_their_addresses_from_a_map_that_the_example_changes() -> None:
    (source,) = container("ladder-web")["envFrom"]
    for folder in (BASE, EXAMPLE):
        (made,) = kustomization(folder)["configMapGenerator"]
        assert made["name"] == source["configMapRef"]["name"]
        names = {literal.partition("=")[0] for literal in made["literals"]}
        assert names == {"LADDER_PUBLIC_URL", "LADDER_TRUSTED_PROXIES"}
    assert container("ladder-web")["readinessProbe"]["httpGet"]["port"] == "http"
