"""A certificate authority of a test and what it vouches for, made by the program `openssl`."""

import base64
import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.processes import require_program

NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
DAYS = ("-days", "2")


@dataclass(frozen=True, slots=True)
class Certified:
    """Files: an authority's certificate, and a certificate that it has signed with the key of that."""

    authority: Path
    certificate: Path
    key: Path

    @property
    def fingerprint(self) -> str:
        public = openssl("pkey", "-in", self.key, "-pubout", "-outform", "DER")
        return base64.b64encode(hashlib.sha256(public).digest()).decode()


def certified(folder: Path, address: str, *, has_expired: bool = False) -> Certified:
    """Make an authority and a certificate for an IP address. `folder`: where their files are to be."""
    require_program("openssl")
    authority, authority_key = folder / "authority.pem", folder / "authority-key.pem"
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    root = ("-subj", "/CN=an authority of a test", "-keyout", authority_key, "-out", authority)
    openssl("req", "-x509", *NEW_KEY, *DAYS, *root)
    request = folder / "request.pem"
    names = ("-subj", "/CN=arena", "-addext", f"subjectAltName=IP:{address}")
    openssl("req", "-new", *NEW_KEY, *names, "-keyout", key, "-out", request)
    signed = ("-CA", authority, "-CAkey", authority_key, "-copy_extensions", "copyall")
    openssl("x509", "-req", "-in", request, *signed, "-days", "0" if has_expired else "2", "-out", certificate)
    return Certified(authority, certificate, key)


def openssl(*words: str | Path) -> bytes:
    done = subprocess.run(["openssl", *words], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout
