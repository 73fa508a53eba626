import type { Demand } from './demand.ts'

/** Who handles the messages of a mailbox: one call each, and `complete` after the last. */
export interface MailboxReader<Message> {
  next(message: Message): void
  complete(): void
}

/**
 * Messages to one who handles them one at a time, in order. Its reader pulls: a message is handed over for each credit of `demand`,
 * and none while there is no credit.
 */
export class Mailbox<Message> {
  readonly #demand: Demand
  readonly #messagesMax: number
  readonly #messages: Message[] = []
  #reader: MailboxReader<Message> | undefined
  #isClosed = false
  #isDriving = false

  /** `messagesMax`: how many may wait. */
  constructor(demand: Demand, messagesMax: number) {
    this.#demand = demand
    this.#messagesMax = messagesMax
    demand.onCredit(() => this.#drive())
  }

  /** False when it is full: the message was not taken. */
  post(message: Message): boolean {
    if (this.#messages.length >= this.#messagesMax || this.#isClosed) return false
    this.#messages.push(message)
    this.#drive()
    return true
  }

  /** Nothing comes any more; what waits is still handed over. */
  close(): void {
    this.#isClosed = true
    this.#drive()
  }

  /** Hands everything to this reader, until the returned function is called. */
  read(reader: MailboxReader<Message>): () => void {
    this.#reader = reader
    this.#drive()
    return () => {
      this.#reader = undefined
    }
  }

  /** The one driver. Safe to call at any time: a reader that posts or grants while it reads comes back here. */
  #drive(): void {
    if (this.#isDriving) return
    this.#isDriving = true
    while (this.#reader !== undefined && this.#messages.length > 0 && this.#demand.credits > 0) {
      this.#demand.spend(1)
      this.#reader.next(this.#messages.shift()!)
    }
    this.#isDriving = false
    if (this.#isClosed && this.#messages.length === 0) {
      const reader = this.#reader
      this.#reader = undefined
      reader?.complete()
    }
  }
}
