import * as z from 'zod'
import type { PacksConfig } from './packs-config.ts'
import { CHOICES, EXTENSION_PATTERN } from '../input/options.ts'

// As code points, because not every implementation of JSON Schema supports \p.
const NO_CONTROL = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/
const name = z.string().trim().min(1).max(100).regex(NO_CONTROL)
const path = z.string().min(1).max(4096).regex(NO_CONTROL)
const difficulty = z.enum(CHOICES.difficulty)
const level = z.enum(['off', 'info', 'warning', 'error'])
const BY_GLOB = 'one value, or values by glob, file or folder; the last one that fits counts'

const ruleShape = {
  expansion: z.string().min(1).describe('The phrase as it occurs in the texts'),
  term: z.string().min(1).optional().describe('What replaces the phrase; chosen if absent'),
  never: z.boolean().optional().describe('true: the phrase is never replaced'),
}
const mapShape = {
  map: z
    .record(z.string(), z.union([z.string().min(1), z.literal(false)]))
    .optional()
    .describe('Reads a field from another key (title: "name"), or drops a key (weight: false)'),
}
const lintShape = { rules: z.record(z.string(), level).optional().describe('Severities by rule') }
const baselineShape = {
  file: path.optional().describe('File that pack check --baseline compares with'),
  tolerance: z.number().min(0).max(1000).optional().describe('Growth in percent that is accepted'),
}

const worthShape = {
  percent: z.number().min(0).max(100).describe('Percent of the source'),
  tokens: z.int().min(0).describe('Tokens'),
}

const shape = {
  $schema: z.string().optional().describe('Address of this schema'),
  sources: z
    .array(path.regex(/[^-]/))
    .min(1)
    .max(10_000)
    .optional()
    .describe('Files, folders and globs to build when the command names none'),
  out: path.optional().describe('Folder for the packs'),
  scheme: z.enum(CHOICES.scheme).optional().describe('Compression scheme of sources that name none'),
  domain: byGlob(name).optional().describe(`Domain: ${BY_GLOB}`),
  subdomain: byGlob(name).optional().describe(`Subdomain: ${BY_GLOB}`),
  difficulty: byGlob(difficulty).optional().describe(`Difficulty: ${BY_GLOB}`),
  frontMatter: z.strictObject(mapShape).optional().describe('How front matter of another tool is read'),
  glossary: z
    .array(z.strictObject(ruleShape))
    .max(65_536)
    .optional()
    .describe('Rules for phrases of every source'),
  budget: z.int().min(1).optional().describe('Maximum tokens of a pack, header included'),
  minSavings: z.number().max(100).optional().describe('Packs with lower net savings fail, in percent'),
  worthHeader: z
    .strictObject(worthShape)
    .optional()
    .describe('What a header must save, as paid; below it a pack is its source'),
  ignore: z
    .array(z.string().min(1))
    .max(10_000)
    .optional()
    .describe('Patterns as in .gitignore for what folders and globs leave out'),
  extensions: z
    .array(z.string().regex(EXTENSION_PATTERN))
    .max(100)
    .optional()
    .describe('Extensions of sources besides .md, .markdown and .mdx'),
  lint: z.strictObject(lintShape).optional().describe('Settings of pack lint'),
  baseline: z.strictObject(baselineShape).optional().describe('Settings of pack check --baseline'),
} satisfies Record<keyof PacksConfig, z.ZodType>

/** Schema of a configuration. Unknown keys are errors. */
export const configSchema: z.ZodType<PacksConfig> = z.strictObject(shape)

/** Keys of the objects of a configuration, by the name of the object. */
export const configKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ['', Object.keys(shape)],
  ['frontMatter', Object.keys(mapShape)],
  ['glossary.*', Object.keys(ruleShape)],
  ['lint', Object.keys(lintShape)],
  ['worthHeader', Object.keys(worthShape)],
  ['baseline', Object.keys(baselineShape)],
])

function byGlob<T extends string>(value: z.ZodType<T>): z.ZodType<T | Record<string, T>> {
  return z.union([value, z.record(path, value)])
}

/** Creates the JSON Schema of a configuration (draft 2020-12), which the package ships as `packs.schema.json`. */
export function createConfigJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: 'input' })
  return { $schema, title: 'packs.config.json', description: 'Configuration of pack', ...schema }
}
