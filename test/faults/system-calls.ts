import { readFileSync } from 'node:fs'

/** What a test looks at. `-qq` and whole paths make lines that can be read one by one. */
export function straceCommand(output: string): string[] {
  const files =
    'openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat'
  const network = 'connect,bind,sendto,sendmsg,recvfrom'
  const disk = 'fdatasync,fsync,msync,pwrite64,pwritev,pwritev2,writev'
  // `-D`: the process keeps its id, and the tracer is its grandchild.
  return ['strace', '-D', '-f', '-qq', '-yy', '-s', '64', '-o', output, '-e', `trace=${files},${network},${disk}`]
}

/** One system call. An unfinished one is two entries: its beginning, and its end under the same `id`. */
export interface SystemCall {
  readonly name: string
  /** Its arguments, as strace writes them. */
  readonly text: string
  readonly stage: 'whole' | 'begun' | 'ended'
  readonly result: number | undefined
}

/** System calls in the order in which strace saw them. */
export function readTrace(path: string): SystemCall[] {
  const begun = new Map<string, string>()
  return readFileSync(path, 'latin1')
    .split('\n')
    .flatMap((line): SystemCall[] => {
      const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
      const [, resumed] = /^<\.\.\. (\w+) resumed>/.exec(rest) ?? []
      const [, name = resumed ?? ''] = /^(\w+)\(/.exec(rest) ?? []
      if (name === '') return []
      const result = /\) += (-?\d+)/.exec(rest)?.[1]
      const number = result === undefined ? undefined : Number(result)
      if (resumed !== undefined) {
        const text = `${begun.get(thread) ?? ''}${rest}`
        return [{ name, text, stage: 'ended', result: number }]
      }
      if (!rest.endsWith('<unfinished ...>')) return [{ name, text: rest, stage: 'whole', result: number }]
      begun.set(thread, rest)
      return [{ name, text: rest, stage: 'begun', result: undefined }]
    })
}
