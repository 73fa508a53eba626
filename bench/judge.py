"""Judges WAV files: what faster-whisper understands, and how clean DNSMOS (P.835) finds them.

usage: judge.py WHISPER_DIR DNSMOS_ONNX; one path and language a line on standard input, one line of JSON a file. With a
third field "words" the answer is when each word is heard instead.
"""
import json
import sys

import numpy as np
import onnxruntime
from faster_whisper import WhisperModel
from faster_whisper.audio import decode_audio

RATE = 16_000
# The model takes exactly this much; shorter audio is repeated, longer is judged in windows a second apart.
DNSMOS_SAMPLES = int(9.01 * RATE)
# From the raw "overall" score to the listeners' scale: the polynomial published with the model.
OVERALL = [-0.06766283, 1.11546468, 0.04602535]

whisper = WhisperModel(sys.argv[1], device="cpu", compute_type="int8", cpu_threads=2)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 2
dnsmos = onnxruntime.InferenceSession(sys.argv[2], options, providers=["CPUExecutionProvider"])


def overall(audio):
    while len(audio) < DNSMOS_SAMPLES:
        audio = np.concatenate([audio, audio])
    starts = range(0, len(audio) - DNSMOS_SAMPLES + 1, RATE)
    name = dnsmos.get_inputs()[0].name
    raw = [dnsmos.run(None, {name: audio[None, start : start + DNSMOS_SAMPLES]})[0][0][2] for start in starts]
    return float(np.polyval(OVERALL, np.mean(raw)))


for line in sys.stdin:
    path, language, *rest = line.rstrip("\n").split("\t")
    audio = decode_audio(path, sampling_rate=RATE).astype(np.float32)
    if rest == ["words"]:
        segments, _ = whisper.transcribe(audio, language=language, beam_size=5, word_timestamps=True)
        words = [{"word": word.word.strip(), "start": word.start, "end": word.end} for segment in segments for word in segment.words]
        print(json.dumps({"words": words}), flush=True)
        continue
    segments, _ = whisper.transcribe(audio, language=language, beam_size=5)
    text = " ".join(segment.text.strip() for segment in segments)
    print(json.dumps({"text": text, "overall": overall(audio)}), flush=True)
