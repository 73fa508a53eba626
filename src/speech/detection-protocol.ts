/** What the main thread asks of the detection worker. It keeps nothing between two tasks: what a stream leaves travels with it. */
export interface DetectTask {
  readonly streams: readonly StreamAudio[]
}

export interface StreamAudio {
  /** `DETECTION_CONTEXT_SAMPLES` that came before, then whole windows; mono in [-1, 1], 16 kHz. */
  readonly samples: Float32Array
  /** As the last answer about this stream left it; zeros at the start: [2, `DETECTION_STATE_WIDTH`]. */
  readonly state: Float32Array
}

/** In the order of the task's streams. */
export interface DetectAnswer {
  readonly streams: readonly StreamSpeech[]
}

export interface StreamSpeech {
  /** Probability of speech, one a window. */
  readonly probabilities: Float32Array
  readonly state: Float32Array
}

/** What the model hears again of the window before. */
export const DETECTION_CONTEXT_SAMPLES = 64
export const DETECTION_STATE_WIDTH = 128
