import type { Worklet } from './worklet-scope.ts'

const added = new WeakMap<BaseAudioContext, Map<Worklet, Promise<void>>>()

/** Runs a worklet function on a context's audio thread, once. Needs a page whose policy allows scripts from `blob:`. */
export function addWorklet(context: BaseAudioContext, worklet: Worklet): Promise<void> {
  const ofContext = added.get(context) ?? new Map<Worklet, Promise<void>>()
  added.set(context, ofContext)
  const adding = ofContext.get(worklet) ?? addModule(context, worklet)
  ofContext.set(worklet, adding)
  return adding
}

async function addModule(context: BaseAudioContext, worklet: Worklet): Promise<void> {
  // Bundlers that keep the names of functions wrap them in a call of their own, `__name`, which stays behind.
  const source = `const __name = (value) => value;(${worklet})(globalThis)`
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  try {
    await context.audioWorklet.addModule(url)
  } finally {
    URL.revokeObjectURL(url)
  }
}
