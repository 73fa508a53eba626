"""What Schemathesis cannot know of the node it tests: what its decoder reads, its voices and languages, what may be sent once."""

import itertools
import re

import schemathesis
from hypothesis import strategies as st

stretches = st.lists(st.integers(min_value=1, max_value=3), min_size=1, max_size=3)
# For `ScriptedDecoder`: seconds of speech with a pause after each.
scripts = stretches.map(lambda seconds: " ".join(f"{length} -1" for length in seconds).encode())
schemathesis.openapi.media_type("audio/wav", scripts)

# Of these the document says only that they are text.
KNOWN = {"language": "en", "voice_id": "preset_ada", "voice": "ada"}
# uWebSockets.js does not answer where a header's name holds anything else.
HEADER_NAME = re.compile("[A-Za-z0-9-]+")
numbers = itertools.count()


@schemathesis.hook
def map_body(context, body):
    if isinstance(body, dict):
        for name, value in KNOWN.items():
            if isinstance(body.get(name), str):
                body[name] = value
    return body


@schemathesis.hook
def map_headers(context, headers):
    if not headers:
        return headers
    # The same key with another body is refused.
    if "Idempotency-Key" in headers:
        headers["Idempotency-Key"] = f"key {next(numbers)}"
    return {name: value for name, value in headers.items() if HEADER_NAME.fullmatch(name)}
