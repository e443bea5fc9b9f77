# The image of all that runs; its arguments are those of `ladder`. Two targets:
#   worker    for workers, and commands that run bots: the last, so it is built where none is named
#   commands  for scheduler, pages, metrics, migrations and all other commands: without compilers and sandbox
#
# How this works. The first stage turns what the program needs, with the package of leagues that rate by openskill, into wheels,
# each checked against its hash, and then installs the project from that folder alone, with no index. (The lock as a constraints
# file does not do: pip refuses hashes there for packages that are not pinned in the same command.) The others get the result.
# The servers of `ladder up` (the extra `embedded`) are left out. Each target has a list of its packages in /usr/share/ladder.
#
# The base is pinned by its digest, of amd64 and arm64 together; it is Python 3.11.16 of September 2026. For the fixes of Debian and
# Python since then, `docker buildx imagetools inspect python:3.11-slim-bookworm` says the digest of today. With another one:
#   docker build --build-arg BASE=python:3.11-slim-bookworm@sha256:... .
ARG BASE=python:3.11-slim-bookworm@sha256:528257d48c1da0dcecc2e725d1ae34498d60c965f1241e39cd6a85a8859bdf84

FROM ${BASE} AS builder
WORKDIR /src
RUN python -m venv /tools && python -m venv --without-pip /opt/ladder
COPY requirements ./requirements
# Some packages are built here, and with the locked setuptools: pip would else fetch one for that, with no hash.
RUN --mount=type=cache,target=/root/.cache/pip \
    awk '/^setuptools==/,/# via/' requirements/program.lock >/tmp/setuptools.lock \
    && /tools/bin/pip install --require-hashes -r /tmp/setuptools.lock \
    && /tools/bin/pip wheel --require-hashes --no-deps --no-build-isolation -r requirements/openskill.lock --wheel-dir /wheels
COPY pyproject.toml README.md LICENSE ./
COPY cli ./cli
COPY workers ./workers
COPY ladder ./ladder
COPY engine ./engine
COPY docs ./docs
COPY deploy/image.py ./deploy/
RUN /tools/bin/pip wheel --no-index --no-deps --no-build-isolation . --wheel-dir /wheels \
    && /tools/bin/pip --python /opt/ladder/bin/python install --no-compile --no-index --find-links /wheels \
        'ladder-arena[openskill]' \
    && /tools/bin/pip --python /opt/ladder/bin/python check \
    && /opt/ladder/bin/python deploy/image.py trim

FROM ${BASE} AS commands
ARG BASE
ARG REVISION
LABEL org.opencontainers.image.title="Ladder" \
    org.opencontainers.image.description="The CodinGame arena that bot authors can run themselves" \
    org.opencontainers.image.version="0.1.0" \
    org.opencontainers.image.licenses="MIT" \
    org.opencontainers.image.base.name="${BASE}" \
    org.opencontainers.image.revision="${REVISION}"
# For nodes of Kubernetes, where a DaemonSet puts it.
COPY deploy/worker-seccomp.json /usr/share/ladder/
# Outside /usr, where bots do not see it.
COPY --from=builder /opt/ladder /opt/ladder
RUN --mount=type=bind,source=deploy/image.py,target=/image.py \
    groupadd --gid 10001 ladder \
    && useradd --uid 10001 --gid 10001 --no-log-init --create-home --shell /usr/sbin/nologin ladder \
    && /opt/ladder/bin/python -B /image.py sbom >/usr/share/ladder/sbom.cdx.json
ENV PATH=/opt/ladder/bin:$PATH
WORKDIR /home/ladder
# By number, so that Kubernetes can tell that it is not root.
USER 10001:10001
ENTRYPOINT ["ladder"]
CMD ["--help"]

FROM commands AS worker
USER root
# bubblewrap makes the bots' boxes, libseccomp the filter of their system calls; util-linux has setpriv, for the tier `none`. gcc and g++ are for bots, as is the
# Python under /usr/local that comes with the base; other languages are added by an image built on this one. Versions
# are not named: Debian keeps only the newest of a release, so a named one would soon not be there.
# hadolint ignore=DL3008
RUN --mount=type=bind,source=deploy/image.py,target=/image.py \
    apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap g++ gcc libseccomp2 util-linux \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -o ladder -g ladder -m 0700 /var/cache/ladder \
    && /opt/ladder/bin/python -B /image.py sbom >/usr/share/ladder/sbom.cdx.json
ENV LADDER_CACHE=/var/cache/ladder
USER 10001:10001
