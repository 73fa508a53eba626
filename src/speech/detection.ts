/**
 * Finds speech in audio, in windows of 32 ms. Streams are independent of each other; what many of them push at about the same
 * time is looked at together.
 */
export interface SpeechDetector {
  open(): DetectionStream
}

/** One stream of audio. It needs no closing: nothing is kept outside of it. */
export interface DetectionStream {
  /**
   * Takes the next samples, mono in [-1, 1] at 16 kHz, any number of them, and owns them from then on. Resolves with the probability
   * of speech in [0, 1] for every window of `DETECTION_WINDOW_SAMPLES` that they complete, in order; the rest is kept for the next
   * call. Calls are answered in order, and may overlap. Rejects when the detector is closed, or fails.
   */
  push(samples: Float32Array): Promise<Float32Array>
}

export const DETECTION_WINDOW_SAMPLES = 512
