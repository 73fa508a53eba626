import type { Work } from '../speech/admission.ts'
import { admit } from './admission.ts'
import { charge } from './charge.ts'
import type { Subject } from './history.ts'
import type { Services } from './services.ts'

/**
 * Takes a place, then debits what the speech costs, then has it made: who finds no place has not paid. The place is given back
 * in the end, if `speak` has not done so earlier. Throws `BACKEND_ERROR` 503 without a place, and what `charge` throws.
 */
export async function paidSpeech<T>(
  services: Pick<Services, 'lifecycle' | 'admission' | 'ledger'>,
  { key, id, characters }: Subject,
  work: Work,
  speak: (place: { release(): void }) => Promise<T>,
): Promise<T> {
  const place = admit(services, work)
  try {
    await charge(services, key.id, id, characters)
    return await speak(place)
  } finally {
    place.release()
  }
}
