import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * JSON Schema (2020-12) of the service's zod schemas. What has an `id` among its metadata goes into `components` once and is
 * referred to from everywhere else.
 */
export class JsonSchemas {
  readonly components: Record<string, JsonSchema> = {}

  /** `input`: as a client sends it, where defaults may be left out. `output`: as the node sends it. */
  of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const {
      $schema,
      $defs = {},
      ...own
    } = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => simplify(jsonSchema),
    })
    for (const [id, { id: _, ...definition }] of Object.entries($defs)) this.#keep(id, relinked(definition))
    return relinked(own)
  }

  #keep(id: string, definition: JsonSchema): void {
    const known = this.components[id]
    assert(known === undefined || isDeepStrictEqual(known, definition), `two schemas are called ${id}`)
    this.components[id] = definition
  }
}

/** Whoever reads an answer must bear fields that a later version adds; and no integer needs to be told that it is safe. */
function simplify(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
}

/** References as the documents have them. */
function relinked(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))
}
