/** Prepares a pack's files for use, once a models folder: graphs rewritten, weights converted. */
export interface Installer {
  /** Part of what an installation was made from: another version installs anew. */
  readonly version: string
  /** What it makes was tested on this machine's processor: another model of processor installs anew. */
  readonly perProcessor: boolean
  /**
   * Writes its files below `outputDir`, an empty folder. The result is kept as JSON beside them, for whoever loads them;
   * paths in it must be relative to `outputDir`.
   */
  install(work: InstallWork): Promise<unknown>
}

export interface InstallWork {
  readonly outputDir: string
  /** Path of a fetched file of the pack or of one that it needs. */
  path(pack: string, file: string): string
  /** Paths of all fetched files of a pack. */
  paths(pack: string): readonly string[]
  onStep(step: string): void
}

export type Installers = Readonly<Record<string, Installer>>

/** Packs that are not named here are used as they are fetched. */
export const installers: Installers = {}
