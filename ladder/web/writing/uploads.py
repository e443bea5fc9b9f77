"""What a form of our own pages sends that can have a file: `multipart/form-data`, small enough to be read at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import HTTP
from typing import Annotated

from fastapi import Depends, Request

from engine.errors import UsageFault
from ladder.web.accounts.forms import MOST_FIELDS, require_own
from ladder.web.site import site_of
from ladder.web.writing.gate import most_bytes_at, read_at_most

FORM = "multipart/form-data"


@dataclass(frozen=True, slots=True)
class Upload:
    """What a form sends. `file`: the contents of its file, and `file_name` its name; empty where none was chosen."""

    fields: Mapping[str, str]
    file: bytes = b""
    file_name: str = ""


async def read_own_upload(request: Request) -> Upload:
    """Return what a form of our own pages sends. Raises NotAllowed for any other, TooLong, UsageFault."""
    body = await read_at_most(request, most_bytes_at(site_of(request)))
    found = upload_of(request.headers.get("content-type", ""), body)
    require_own(request, found.fields)
    return found


def upload_of(kind: str, body: bytes) -> Upload:
    """Read a form. Raises UsageFault for what is none, or not UTF-8."""
    if not kind.lower().startswith(FORM):
        raise UsageFault(f"this is not a form: it has to be {FORM}")
    head = f"Content-Type: {kind}\r\n\r\n".encode("latin-1")
    message = message_from_bytes(head + body, EmailMessage, policy=HTTP)
    if not message.is_multipart():
        raise UsageFault("this form has no parts")
    fields: dict[str, str] = {}
    file, file_name = b"", ""
    for part in list(message.iter_parts())[:MOST_FIELDS]:
        content = part.get_payload(decode=True)
        name = part.get_param("name", header="content-disposition")
        if not isinstance(content, bytes) or not isinstance(name, str):
            raise UsageFault("a part of this form cannot be read")
        given = part.get_filename()
        if given is not None:
            file, file_name = content, given
            continue
        try:
            fields[name] = content.decode().replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise UsageFault("this form is not in UTF-8") from error
    return Upload(fields, file, file_name)


OwnUpload = Annotated[Upload, Depends(read_own_upload)]
