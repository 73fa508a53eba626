/*
 * What a page may lack to be heard or to hear. Browsers keep worklets and microphones from pages that came over plain HTTP, unless
 * from this machine.
 */

/** Throws a `DOMException` that says why a page can't use audio worklets. */
export function requireWorklets(): void {
  requireSecurePage()
  if (typeof AudioContext === 'undefined') throw lacking('AudioContext')
  if (typeof AudioWorkletNode === 'undefined') throw lacking('AudioWorklet')
}

/** Throws a `DOMException` that says why a page can't ask for a microphone. */
export function requireMicrophones(): void {
  requireSecurePage()
  if (navigator.mediaDevices?.getUserMedia === undefined) throw lacking('navigator.mediaDevices')
}

function requireSecurePage(): void {
  if (isSecureContext) return
  throw new DOMException(
    'sound needs a page that is opened over https, or from this machine as localhost',
    'SecurityError',
  )
}

function lacking(name: string): DOMException {
  return new DOMException(`this browser cannot do it: it has no ${name}`, 'NotSupportedError')
}
