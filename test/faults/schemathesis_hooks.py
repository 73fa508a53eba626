"""What Schemathesis cannot know of the node it tests: what its decoder reads, its voices and languages."""

import itertools
import re

import schemathesis
from hypothesis import strategies as st

stretches = st.lists(st.integers(min_value=1, max_value=3), min_size=1, max_size=3)
# For `ScriptedDecoder`: seconds of speech with a pause after each.
scripts = stretches.map(lambda seconds: " ".join(f"{length} -1" for length in seconds).encode())
schemathesis.openapi.media_type("audio/wav", scripts)
SCRIPT = "1 -1 2"
FILES = {"file", "audio"}

# Of these the document says only that they are text.
KNOWN = {"language": "en", "voice_id": "preset_ada", "voice": "ada"}
# uWebSockets.js does not answer where a header's name holds anything else.
HEADER_NAME = re.compile("[A-Za-z0-9-]+")
# Of which the second would be refused with another body.
keys = (f"key {number}" for number in itertools.count())


@schemathesis.hook
def map_headers(context, headers):
    return headers and {name: value for name, value in headers.items() if HEADER_NAME.fullmatch(name)}


@schemathesis.hook
def before_call(context, case, kwargs):
    if not case.meta.generation.mode.is_positive:
        return
    if "Idempotency-Key" in (case.headers or {}):
        case.headers["Idempotency-Key"] = next(keys)
    if not isinstance(case.body, dict):
        return
    for name, value in KNOWN.items():
        if isinstance(case.body.get(name), str):
            case.body[name] = value
    # Examples are not made by the strategy above. Of the two, one is enough.
    for name in FILES.intersection(case.body):
        case.body[name] = SCRIPT
    if FILES.issubset(case.body):
        del case.body["file"]
