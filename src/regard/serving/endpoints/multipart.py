"""Bodies of the type `multipart/form-data`, as browsers and LibreTranslate's own page send them.

Source: RFC 7578 and, for delimiters, RFC 2046, section 5.1.1.
"""

from __future__ import annotations

from email.message import Message

from regard.serving.limits import ServingError

MOST_PARTS = 20_000
ENCODINGS = ("utf-8", "utf8", "us-ascii", "ascii")
"""The encodings of texts, in lower case. Python's table of encodings is not asked: it keeps every unknown name."""


def multipart_fields(body: bytes, content_type: str) -> list[tuple[str, str]]:
    """The fields of a body, name and value, in order; parts of a form in which no file was chosen are left out.

    Args:
        content_type: the header, which has the boundary.
    Raises:
        ServingError: 400, the body is not what its type says, or it has a file.
    """
    boundary = (_parameter(_header("Content-Type", content_type), "boundary") or "").rstrip()
    if not boundary:
        raise _refused("its Content-Type has no boundary")
    _, *parts = (b"\r\n" + body).split(b"\r\n--" + boundary.encode("utf-8", "replace"), MOST_PARTS + 1)
    ends = [index for index, part in enumerate(parts) if part.startswith(b"--")]
    if not ends:
        raise _refused("it has no end, or too many parts")
    fields = (_field(part) for part in parts[: ends[0]])
    return [field for field in fields if field is not None]


def _field(part: bytes) -> tuple[str, str] | None:
    """The name and the value of a part; None: a file that was not chosen.

    Args:
        part: what stands between two delimiters.
    """
    rest_of_line, _, rest = part.partition(b"\r\n")
    head, blank, content = (b"\r\n" + rest).partition(b"\r\n\r\n")
    if rest_of_line.strip(b" \t") or not blank:
        raise _refused("a part has no head")
    try:
        lines = head.decode("utf-8").split("\r\n")
    except UnicodeDecodeError as error:
        raise _refused("the head of a part is not UTF-8") from error
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    disposition = _header("Content-Disposition", headers.get("content-disposition", ""))
    name = _parameter(disposition, "name")
    if disposition.get_content_disposition() != "form-data" or name is None:
        raise _refused("a part has no name")
    name = name.replace("%22", '"')  # as browsers write it
    if (filename := _parameter(disposition, "filename")) is not None:
        if not filename and not content:
            return None
        raise ServingError(400, f"{name[:40]} must be a field, not a file: files are not translated.")
    charset = _parameter(_header("Content-Type", headers.get("content-type", "text/plain")), "charset") or "utf-8"
    if charset.lower() not in ENCODINGS or headers.get("content-transfer-encoding", "binary").lower() not in (
        "binary",
        "8bit",
        "7bit",
    ):
        raise _refused(f"{name[:40]} is not plain UTF-8")
    try:
        return name, content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _refused(f"{name[:40]} is not UTF-8 at byte {error.start}") from error


def _header(name: str, value: str) -> Message:
    """A message with one header, whose parameters can be asked for."""
    message = Message()
    message[name] = value.replace("\r", " ").replace("\n", " ")
    return message


def _parameter(message: Message, name: str) -> str | None:
    """A parameter of the header of a message; None: there is none.

    Raises:
        ServingError: 400, it cannot be read, or its encoding is not UTF-8.
    """
    (header,) = message.keys()
    try:
        found = message.get_param(name, header=header)
        if isinstance(found, tuple):  # RFC 2231: encoding, language, bytes as Latin-1
            encoding, _, text = found
            if (encoding or "utf-8").lower() not in ENCODINGS:
                raise _refused(f"the encoding of {name} is not UTF-8")
            found = text.encode("latin-1").decode("utf-8")
    except ValueError as error:
        raise _refused(f"{name} in {header} cannot be read") from error
    return found


def _refused(why: str) -> ServingError:
    return ServingError(400, f"The body must be multipart/form-data: {why}.")
