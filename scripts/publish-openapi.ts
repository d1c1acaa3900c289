// The OpenAPI document of /publish/v1, from the schema of its body: packages/server/publish.openapi.json
import { createPublishSchema } from '../packages/publisher/src/publish-process/publish-body.ts'

/** What the fields of the body mean. */
const FIELDS: Readonly<Record<string, string>> = {
  path: 'Path of the source in its project: named in messages, and the origin of a slug and title that nothing else gives',
  text: 'The whole source, front matter too, with includes resolved; at most 16 MiB in UTF-8',
  slug: 'From the place of the source in its folder; what it gives, or else the front matter, must be the slug of the URL',
  title: 'Like all values below, for a source whose front matter has none',
  domain: 'Domain of the pack',
  subdomain: 'Subdomain of the pack',
  difficulty: 'What a reader should know already',
  scheme: 'Compression scheme',
  dialect: 'Dialects of the page; without any it is CommonMark with the additions of GitHub',
  minify: 'Rules of minify that are not applied',
  budget: 'Maximum tokens of the pack, header included',
  worth_header: 'What a header must save in the whole prompt',
  url: 'Address of the page',
  glossary: 'Rules for phrases, besides those of the front matter',
  front_matter_map: 'Reads a field from another key ("title": "name"), or drops a key ("weight": false)',
  commit: 'Git commit that has this exact file',
  bump: 'Raises the version by at least this level',
  rebuild: 'Publishes an unchanged source again, as a patch',
}

/** Codes of failures, which in a problem replace that of its `type`. */
const CODES = [
  'invalid_publish',
  'invalid_publish_token',
  'token_forbidden',
  'not_found',
  'too_many_failed_keys',
  'internal_error',
  'recovery_mode',
  'service_unavailable',
  'bad_source',
  'build_timeout',
  'version_conflict',
  'purged_source',
  'text_mismatch',
  'parent_moved',
  'job_superseded',
  'round_trip_failed',
  'job_failed',
]

const text = { type: 'string' }
const nullable = { type: ['string', 'null'] }

const resultSchema = {
  type: 'object',
  description: 'As `pack publish --json` prints it of a source',
  required: ['file', 'slug', 'id', 'version', 'status', 'bump', 'reasons', 'job', 'messages'],
  properties: {
    file: text,
    slug: text,
    id: text,
    version: nullable,
    status: { enum: ['published', 'unchanged', 'queued'] },
    bump: nullable,
    reasons: { type: 'array', items: text },
    code: { type: 'null' },
    message: { type: 'null' },
    hint: { type: 'null' },
    job: nullable,
    messages: { type: 'array', items: { type: 'object' } },
    before: { ...nullable, description: 'The newest version before this one' },
    figures: { type: 'object', description: 'Tokens of the source, of the content and of the header' },
  },
}

const problemSchema = {
  type: 'object',
  description:
    'RFC 9457. `type` is the page of the kind of problem. `code` says what failed: it is the last part of `type`, or for a source a code of the catalog or the publisher',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
  properties: {
    type: text,
    title: text,
    status: { type: 'integer' },
    detail: text,
    instance: text,
    code: { anyOf: [{ enum: CODES }, text] },
    request_id: text,
    hint: text,
    errors: {
      type: 'array',
      description: 'Fields of the body',
      items: { type: 'object', required: ['field', 'detail'], properties: { field: text, detail: text } },
    },
    messages: {
      type: 'array',
      description: 'About the source, with line and column',
      items: { type: 'object' },
    },
  },
}

export function writePublishOpenApi(): string {
  const { $schema: _schema, ...body } = createPublishSchema() as { properties: Record<string, object> } & {
    $schema: unknown
  }
  const properties = Object.fromEntries(
    Object.entries(body.properties).map(([name, schema]) => [name, { description: FIELDS[name], ...schema }]),
  )
  const describe = (description: string, name: string, type: string): object => ({
    description,
    content: { [type]: { schema: { $ref: `#/components/schemas/${name}` } } },
  })
  const result = (description: string): object => describe(description, 'Result', 'application/json')
  const problem = (description: string): object =>
    describe(description, 'Problem', 'application/problem+json')
  const parameter = (name: string): object => ({
    parameters: [{ name, in: 'path', required: true, schema: text }],
  })
  const responses = {
    200: result('The newest version has the same source'),
    201: result('Published'),
    202: result('Queued; `job` is the id to ask for'),
    400: problem('`invalid_publish`: the body has errors; `bad_source`, `build_timeout`: the source'),
    401: problem('`invalid_publish_token`'),
    409: problem(
      '`version_conflict`, `purged_source`, `text_mismatch`, `parent_moved`, `job_superseded`: the catalog refuses the version',
    ),
    429: problem('`too_many_failed_keys`'),
    500: problem('`internal_error`, `round_trip_failed`, `job_failed`'),
    503: problem('`recovery_mode`, `service_unavailable`: try again after `Retry-After` seconds'),
  }
  const publish = {
    operationId: 'publishPack',
    summary: 'Publish a source as the next version of a pack',
    description: 'Repeating it changes nothing, so a client may send it again when it got no answer.',
    ...parameter('slug'),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { ...body, properties } } },
    },
    responses: {
      ...responses,
      403: problem('`token_forbidden`: the token is for other slugs'),
      413: problem('`invalid_publish`: the source or the body is too large'),
      415: problem('`invalid_publish`: the body is not JSON in UTF-8, or it is compressed'),
    },
  }
  const getJob = {
    operationId: 'getPublishJob',
    summary: 'Get what became of a job',
    description: 'Answers as the publish would have without a queue, and 202 until it is done.',
    ...parameter('id'),
    responses: { ...responses, 404: problem('`not_found`: no job of a slug of this token has this id') },
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Publishing packs',
      version: '1',
      description: 'Publishes packs with a token of `pack tokens create`.',
    },
    security: [{ token: [] }],
    paths: {
      '/publish/v1/packs/{slug}': { put: publish },
      '/publish/v1/jobs/{id}': { get: getJob },
    },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Result: resultSchema, Problem: problemSchema },
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
