import { expect, it } from 'vitest'
import { requestIds } from '../../src/http/request-ids.ts'
import { systemRandom } from '../../src/runtime/random.ts'

it('ids are all different, also where one draw of chance ends and the next begins', () => {
  const next = requestIds(systemRandom)
  const ids = Array.from({ length: 2_000 }, next)
  expect(new Set(ids).size).toBe(2_000)
  for (const id of ids) expect(id).toMatch(/^req_[a-z2-7]{20}$/)
})

it('the same chance gives the same ids', () => {
  const counting = () => {
    let next = 0
    return { bytes: (length: number) => Uint8Array.from({ length }, () => next++ * 7) }
  }
  const [a, b] = [requestIds(counting()), requestIds(counting())]
  expect(Array.from({ length: 600 }, a)).toEqual(Array.from({ length: 600 }, b))
})
