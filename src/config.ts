import { availableParallelism, homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { config as readDotenv } from 'dotenv'
import { z } from 'zod'

/** Every setting of the node, checked and frozen. Names are those of the environment without `SYRINX_`. */
export interface Config {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly dataDir: string
  readonly modelsDir: string
  readonly publicUrl: string | undefined
  readonly publicWsUrl: string | undefined
  readonly bootstrap: boolean
  readonly openai: boolean
  /** Whether `/` shows the page on which keys can be tried out. */
  readonly playground: boolean
  readonly workers: number
  readonly ttsEngine: 'kokoro'
  /** `off`: the node only speaks, and neither fetches nor loads a model that listens. */
  readonly sttEngine: 'whisper' | 'off'
  readonly sttModel: string | undefined
  readonly logLevel: string
  readonly drainSeconds: number
  /** `SYRINX_*` names in the environment that mean nothing: worth a warning, since they are usually misspelt. */
  readonly unknownNames: readonly string[]
}

export class ConfigError extends Error {}

const onOff = z.enum(['on', 'off', 'true', 'false', '1', '0']).transform((text) => ['on', 'true', '1'].includes(text))
const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be ${min} to ${max}`)
const url = (...schemes: string[]) =>
  z
    .string()
    .refine((text) => schemes.some((scheme) => text.startsWith(scheme)), `must start with ${schemes.join(' or ')}`)
    .transform((text) => text.replace(/\/+$/, ''))

const SETTINGS = {
  SYRINX_HOST: z.string().min(1).default('127.0.0.1'),
  SYRINX_PORT: wholeNumber(0, 65_535).default(8080),
  SYRINX_DATA: z.string().min(1).default('./data'),
  SYRINX_MODELS: z.string().min(1).optional(),
  SYRINX_PUBLIC_URL: url('http://', 'https://').optional(),
  SYRINX_PUBLIC_WS_URL: url('ws://', 'wss://').optional(),
  SYRINX_BOOTSTRAP: onOff.default(true),
  SYRINX_OPENAI: onOff.default(false),
  SYRINX_PLAYGROUND: onOff.default(true),
  SYRINX_WORKERS: wholeNumber(1, 256).default(availableParallelism()),
  SYRINX_TTS_ENGINE: z.enum(['kokoro']).default('kokoro'),
  SYRINX_STT_ENGINE: z.enum(['whisper', 'off']).default('whisper'),
  SYRINX_STT_MODEL: z.string().min(1).optional(),
  SYRINX_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  SYRINX_DRAIN_SECONDS: wholeNumber(0, 3_600).default(30),
}
const Environment = z.object(SETTINGS)

/** Settings `given`, else from the process environment, else from a `.env` file in the working folder. Throws `ConfigError`. */
export function loadConfig(given: Readonly<Record<string, string>> = {}): Config {
  const fromFile = readDotenv({ quiet: true, processEnv: {} }).parsed ?? {}
  return parseConfig({ ...fromFile, ...process.env, ...given })
}

/** Settings from any set of variables. An empty value counts as absent. Throws `ConfigError` naming every bad setting. */
export function parseConfig(variables: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '))
  }
  const set = parsed.data
  return Object.freeze({
    host: set.SYRINX_HOST,
    port: set.SYRINX_PORT,
    dataDir: resolve(set.SYRINX_DATA),
    modelsDir: resolve(
      set.SYRINX_MODELS ?? join(given.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'syrinx', 'models'),
    ),
    publicUrl: set.SYRINX_PUBLIC_URL,
    publicWsUrl: set.SYRINX_PUBLIC_WS_URL,
    bootstrap: set.SYRINX_BOOTSTRAP,
    openai: set.SYRINX_OPENAI,
    playground: set.SYRINX_PLAYGROUND,
    workers: set.SYRINX_WORKERS,
    ttsEngine: set.SYRINX_TTS_ENGINE,
    sttEngine: set.SYRINX_STT_ENGINE,
    sttModel: set.SYRINX_STT_MODEL,
    logLevel: set.SYRINX_LOG_LEVEL,
    drainSeconds: set.SYRINX_DRAIN_SECONDS,
    unknownNames: Object.keys(given).filter((name) => name.startsWith('SYRINX_') && !(name in SETTINGS)),
  })
}

/**
 * ONNX Runtime for Linux tells its makers how it is used, and keeps a database for that in the user's cache folder, unless this
 * variable forbids it. The library reads the environment of the process when it is loaded: call this on the main thread, before.
 */
export function forbidTelemetry(): void {
  process.env.ORT_DISABLE_TELEMETRY = '1'
}
