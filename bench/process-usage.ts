import { readFile } from 'node:fs/promises'

/** Linux reports processor time in these units. */
const TICKS_PER_SECOND = 100

/** User and system time of a process so far. */
export async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Memory of a process that is resident now, and the most that ever was, in kB. */
export async function residentKb(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1')
  const kb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1])
  return { now: kb('VmRSS'), peak: kb('VmHWM') }
}
