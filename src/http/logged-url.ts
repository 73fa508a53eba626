const SECRET_PARAMETERS = new Set(['token', 'key', 'api_key', 'signature', 'sig'])

/** What begins like a key, wherever a client has put it. */
const KEY = /\b(?:vc_[as]k|stt_sk)_live_\w+/g

/** A request target fit for a log: keys are cut, and the values of parameters that are credentials. */
export function loggedUrl(target: string): string {
  return withoutSecretParameters(target).replaceAll(KEY, '…')
}

function withoutSecretParameters(target: string): string {
  const separator = target.indexOf('?')
  if (separator < 0) return target
  const parameters = target
    .slice(separator + 1)
    .split('&')
    .map((parameter) => (isSecret(parameter) ? `${parameter.slice(0, parameter.indexOf('='))}=…` : parameter))
  return `${target.slice(0, separator)}?${parameters.join('&')}`
}

/** Names are compared as the server will read them: `%74oken=` is `token=` too. */
function isSecret(parameter: string): boolean {
  const [name] = new URLSearchParams(parameter).keys()
  return parameter.includes('=') && name !== undefined && SECRET_PARAMETERS.has(name.toLowerCase())
}
