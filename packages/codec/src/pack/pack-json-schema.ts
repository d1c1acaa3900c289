import { z } from 'zod'
import { packSchema } from './pack-schema.ts'

/** The JSON Schema of the pack document (draft 2020-12), as the package ships it in `pack.schema.json`. */
export function createPackJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(packSchema, { io: 'input' })
  return { $schema, title: 'Pack', description: 'A knowledge pack, format packs/1', ...schema }
}
