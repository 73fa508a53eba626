import { describe, expect, it } from 'vitest'
import { Demand } from '../../src/runtime/demand.ts'
import { Mailbox } from '../../src/runtime/mailbox.ts'

function reading(demand: Demand, messagesMax = 10) {
  const mailbox = new Mailbox<string>(demand, messagesMax)
  const read: string[] = []
  const reader = { next: (message: string) => void read.push(message), complete: () => void read.push('complete') }
  return { mailbox, read, reader }
}

describe('a mailbox', () => {
  it('hands over one message a credit, in order', () => {
    const demand = new Demand(1)
    const { mailbox, read, reader } = reading(demand)
    mailbox.read(reader)
    for (const message of ['a', 'b', 'c']) mailbox.post(message)
    expect(read).toEqual(['a'])
    demand.grant(1)
    expect(read).toEqual(['a', 'b'])
    demand.grant(5)
    expect(read).toEqual(['a', 'b', 'c'])
  })

  it('keeps what comes before it is read', () => {
    const { mailbox, read, reader } = reading(Demand.unbounded())
    mailbox.post('a')
    mailbox.read(reader)
    expect(read).toEqual(['a'])
  })

  it('completes after the last message, once', () => {
    const demand = new Demand(0)
    const { mailbox, read, reader } = reading(demand)
    mailbox.read(reader)
    mailbox.post('a')
    mailbox.close()
    mailbox.close()
    expect(read).toEqual([])
    demand.grant(1)
    demand.grant(1)
    expect(read).toEqual(['a', 'complete'])
  })

  it('takes no more than its limit, and nothing once it is closed', () => {
    const { mailbox } = reading(new Demand(0), 2)
    expect([mailbox.post('a'), mailbox.post('b'), mailbox.post('c')]).toEqual([true, true, false])
    mailbox.close()
    expect(mailbox.post('d')).toBe(false)
  })

  it('does not begin a message inside of another', () => {
    const demand = new Demand(1)
    const mailbox = new Mailbox<string>(demand, 10)
    const steps: string[] = []
    mailbox.read({
      next(message) {
        steps.push(`${message} begins`)
        if (message === 'a') mailbox.post('b')
        demand.grant(1)
        steps.push(`${message} ends`)
      },
      complete() {},
    })
    mailbox.post('a')
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })

  it('hands nothing to a reader that has left', () => {
    const { mailbox, read, reader } = reading(Demand.unbounded())
    mailbox.read(reader)()
    mailbox.post('a')
    mailbox.close()
    expect(read).toEqual([])
  })
})
