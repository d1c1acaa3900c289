import { z } from 'zod'
import type { PacksConfig } from './packs-config.ts'
import { EXTENSION_PATTERN } from './source-options.ts'

const MAX_NAME = 100
const name = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME)
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u)
const path = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^\0]*$/)
const difficulty = z.enum(['beginner', 'intermediate', 'advanced', 'expert'])
const percent = z.number().max(100)

const ruleShape = {
  expansion: z.string().min(1),
  term: z.string().min(1).optional(),
  never: z.boolean().optional(),
}

const shape = {
  $schema: z.string().optional(),
  sources: z.array(path).min(1).max(10_000).optional(),
  out: path.optional(),
  scheme: z.enum(['none', 'glossary-1', 'dense-1', 'max-1']).optional(),
  domain: byGlob(name).optional(),
  subdomain: byGlob(name).optional(),
  difficulty: byGlob(difficulty).optional(),
  frontMatter: z
    .strictObject({ map: z.record(z.string(), z.union([z.string().min(1), z.literal(false)])).optional() })
    .optional(),
  glossary: z.array(z.strictObject(ruleShape)).max(65_536).optional(),
  budget: z.int().min(1).optional(),
  minSavings: percent.optional(),
  ignore: z.array(z.string().min(1)).max(10_000).optional(),
  extensions: z.array(z.string().regex(EXTENSION_PATTERN)).max(100).optional(),
  lint: z
    .strictObject({
      rules: z.record(z.string(), z.enum(['off', 'info', 'warning', 'error'])).optional(),
    })
    .optional(),
  baseline: z
    .strictObject({ file: path.optional(), tolerance: z.number().min(0).max(1000).optional() })
    .optional(),
} satisfies Record<keyof PacksConfig, z.ZodType>

/** Schema of a configuration. Unknown keys are errors. */
export const configSchema: z.ZodType<PacksConfig> = z.strictObject(shape)

/** Keys of the objects of a configuration, by the name of the object. */
export const configKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ['', Object.keys(shape)],
  ['frontMatter', ['map']],
  ['glossary.*', Object.keys(ruleShape)],
  ['lint', ['rules']],
  ['baseline', ['file', 'tolerance']],
])

function byGlob<T extends string>(value: z.ZodType<T>): z.ZodType<T | Record<string, T>> {
  return z.union([value, z.record(path, value)])
}
