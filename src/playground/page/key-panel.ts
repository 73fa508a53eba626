import { create, element } from './dom.ts'
import { problemOf } from './problem.ts'
import type { HeldKey, KeyKind, Session } from './session.ts'

const NAMES: Readonly<Record<KeyKind, string>> = {
  admin: 'Account key',
  voice: 'Voice key',
  stt: 'Speech-to-text key',
}

const NO_KEY = 'that is no key: keys begin with vc_ak_live_, vc_sk_live_ or stt_sk_live_.'

/** The keys of this tab, with what each may still spend. */
export class KeyPanel {
  readonly #session: Session
  readonly #input = element('key-input', HTMLInputElement)
  readonly #problem = element('key-problem', HTMLParagraphElement)
  readonly #list = element('key-list', HTMLUListElement)
  readonly #entry = element('key-entry', HTMLDetailsElement)

  constructor(session: Session) {
    this.#session = session
    session.addEventListener('change', () => this.#show())
    element('key-form', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#add()
    })
    this.#show()
    this.#entry.open = session.keys.length === 0
  }

  async #add(): Promise<void> {
    const text = this.#input.value
    this.#problem.textContent = ''
    this.#input.value = ''
    try {
      const isKey = await this.#session.add(text)
      if (isKey) this.#entry.open = false
      else this.#problem.textContent = NO_KEY
    } catch (error) {
      this.#problem.textContent = problemOf(error) ?? ''
    }
  }

  #show(): void {
    this.#list.replaceChildren(...this.#session.keys.map((key) => this.#item(key)))
  }

  #item(key: HeldKey): HTMLLIElement {
    const name = NAMES[key.kind]
    const remove = create('button', 'Remove', { type: 'button', ariaLabel: `Remove the ${name.toLowerCase()}` })
    remove.addEventListener('click', () => {
      this.#session.remove(key.kind)
      // What had the focus is gone.
      this.#entry.open = true
      this.#input.focus()
    })
    const item = create('li')
    item.append(create('strong', name), create('code', `…${key.text.slice(-4)}`), ...allowance(key), remove)
    return item
  }
}

/** What a key may still spend, in words and, where there is an end to it, as a meter. */
function allowance({ usage, credit }: HeldKey): HTMLElement[] {
  const words = (text: string) => create('span', text, { className: 'figure' })
  const of = (remaining: number, limit: number, what: string) => {
    const text = `${figure(remaining)} of ${figure(limit)} characters left${what}`
    return [create('meter', '', { max: limit, value: remaining, ariaLabel: text }), words(text)]
  }
  if (credit?.credit_limit != null && credit.credit_remaining !== null) {
    return of(credit.credit_remaining, credit.credit_limit, '')
  }
  if (usage?.unlimited === true) return [words('no limit')]
  if (usage?.limit !== undefined && usage.remaining !== undefined) {
    return of(usage.remaining, usage.limit, usage.reset_date ? ` until ${day(usage.reset_date)}` : '')
  }
  return credit === undefined ? [] : [words(`${figure(credit.credit_used)} characters used`)]
}

function figure(value: number): string {
  return value.toLocaleString('en')
}

function day(iso: string): string {
  const text = new Date(iso).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return text.replaceAll(' ', '\u00a0')
}
