import { chmod, constants, copyFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'

/**
 * The file operations of whatever must survive a power cut. What resolves without `sync` in its name may be lost in one; a new name in
 * a folder is safe once the folder is synced.
 */
export interface Disk {
  /** Readable by its owner alone; its parents too, where they are missing. */
  makeFolder(path: string): Promise<void>
  /** The bytes of a new file, readable by its owner alone, synced. */
  write(path: string, bytes: Uint8Array): Promise<void>
  /** A copy as a new file, readable by its owner alone, synced. */
  copy(from: string, to: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  syncFolder(path: string): Promise<void>
  read(path: string): Promise<Uint8Array>
  /** Names in a folder. */
  list(path: string): Promise<string[]>
  /** A file, or a folder and all that is in it; nothing where there is none. */
  remove(path: string): Promise<void>
}

export const systemDisk: Disk = {
  async makeFolder(path) {
    await mkdir(path, { recursive: true, mode: 0o700 })
  },
  async write(path, bytes) {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
  },
  async copy(from, to) {
    await copyFile(from, to, constants.COPYFILE_EXCL)
    await chmod(to, 0o600)
    await syncPath(to)
  },
  rename,
  syncFolder: syncPath,
  read: (path) => readFile(path),
  list: (path) => readdir(path),
  remove: (path) => rm(path, { recursive: true, force: true }),
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
