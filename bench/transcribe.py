"""Transcribes recordings with faster-whisper on one thread, as Syrinx's own recogniser is measured.

usage: transcribe.py WHISPER_DIR; one path of a recording and one for its samples (float32, 16 kHz) a line on standard input, one
line of JSON a recording.
"""
import json
import sys
import time

import numpy as np
from faster_whisper import WhisperModel
from faster_whisper.audio import decode_audio

RATE = 16_000

whisper = WhisperModel(sys.argv[1], device="cpu", compute_type="int8", cpu_threads=1)


def transcribe(audio):
    segments, _ = whisper.transcribe(audio, language="en", beam_size=1)
    return " ".join(segment.text.strip() for segment in segments)


transcribe(np.zeros(RATE, np.float32))
for line in sys.stdin:
    path, samples = line.rstrip("\n").split("\t")
    audio = decode_audio(path, sampling_rate=RATE).astype(np.float32)
    audio.tofile(samples)
    cpu, wall = time.process_time(), time.perf_counter()
    text = transcribe(audio)
    cpu_ms, ms = 1_000 * (time.process_time() - cpu), 1_000 * (time.perf_counter() - wall)
    print(json.dumps({"text": text, "cpuMs": cpu_ms, "ms": ms}), flush=True)
