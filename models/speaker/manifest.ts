/** Raised with every change of the graph: an installation of another version is made anew. */
export const ENCODER_VERSION = 1

/** The weights as they are published. */
export const ENCODER_CHECKPOINT = 'pretrained.pt'
/** The graph that is made of them. */
export const ENCODER_GRAPH = 'encoder.onnx'

/** Loudness bands, and frames of 10 ms, that the encoder looks at once. */
export const ENCODER_BANDS = 40
export const ENCODER_FRAMES = 160
