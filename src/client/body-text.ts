import { asInterruption, SyrinxError } from './syrinx-error.ts'

/**
 * The body of a response as text, in pieces as they arrive, never cut inside a character. Ending the iteration early
 * cancels the request.
 */
export async function* bodyText(response: Response, signal: AbortSignal): AsyncGenerator<string, void> {
  const requestId = response.headers.get('x-request-id') ?? undefined
  if (response.body === null) throw new SyrinxError('UNEXPECTED_ANSWER', 'the answer is empty', { requestId })
  const reader = response.body.getReader()
  // Not `TextDecoderStream`: cancelling what is piped through it does not always reach the connection.
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      signal.throwIfAborted()
      const text = decoder.decode(value, { stream: true })
      if (text !== '') yield text
    }
  } catch (error) {
    throw asInterruption(error, signal, requestId)
  } finally {
    await reader.cancel().catch(() => {})
  }
}
