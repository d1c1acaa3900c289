import type { IncomingHttpHeaders } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Fields of bodies that tests read; the check validates the real body. */
export interface ResponseBody {
  readonly [field: string]: unknown
  readonly data: readonly {
    readonly [field: string]: unknown
    readonly slug: string
    readonly removed?: true
    readonly difficulty: string
    readonly domain: string
    readonly version: string
    readonly yanked: boolean
    readonly yanked_reason: string | null
    readonly content: string
  }[]
  readonly meta: {
    readonly [field: string]: unknown
    readonly next: string | null
    readonly next_cursor: string | null
    readonly resume_cursor: string
  }
  readonly errors: readonly { readonly parameter: string; readonly detail: string }[]
  readonly code: string
  readonly request_id: string
  readonly instance: string
  readonly id: string
  readonly content: string
  readonly rosetta: string | null
  readonly used: number
}

/** A received response. */
export interface ApiResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  /** Empty if the body is encoded. */
  readonly text: string
  readonly json: ResponseBody
}

interface Response {
  readonly headers?: Readonly<Record<string, HeaderReference>>
  readonly content?: Readonly<Record<string, unknown>>
}

/** Refers to a required header field, or describes an optional one. */
interface HeaderReference {
  readonly $ref?: string
  readonly required?: false
}

type Responses = Readonly<Record<string, Response | { readonly $ref: string }>>

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Responses }>>>>
  readonly components: { readonly responses: Readonly<Record<string, Response>> }
}

export type ResponseCheck = (method: string, path: string, response: ApiResponse) => void

/** Creates the check of every response in the tests: status, content type, header fields and body match the OpenAPI document. */
export function createResponseCheck(document: object): ResponseCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(document, 'api')
  const description = document as Description
  const validators = new Map<string, ValidateFunction>()
  const validate = (pointer: string, value: unknown, what: string): void => {
    const known = validators.get(pointer)
    const validator = known ?? ajv.compile({ $ref: `api#/${pointer}` })
    validators.set(pointer, validator)
    claim(validator(value), `${what}: ${pointer} ${JSON.stringify(validator.errors)}`)
  }

  return (method, path, response) => {
    const what = `${method} ${path.slice(0, 120)} → ${response.status}`
    claim(/^[0-9a-f-]{36}$/.test(String(response.headers['x-request-id'])), `${what}: no request id`)
    const type = response.headers['content-type']?.split(';')[0]
    const isProblem = response.status < 400 || type === undefined || type === 'application/problem+json'
    claim(isProblem, `${what}: content type ${type}`)
    const pointer = findPointer(description, method, path, response.status)
    if (pointer === undefined) {
      if (response.json !== undefined && response.status >= 400)
        validate('components/schemas/Problem', response.json, what)
      return
    }
    const described = readPointer(description, pointer)
    claim(described !== undefined, `${what} is not described`)
    for (const [name, { required }] of Object.entries(described?.headers ?? {})) {
      if (required === false && response.headers[name] === undefined) continue
      claim(response.headers[name] !== undefined, `${what}: no ${name}`)
      validate(`components/headers/${name}/schema`, response.headers[name], `${what} ${name}`)
    }
    if (KEYED.includes(response.json?.code))
      claim(response.headers['ratelimit'] !== undefined, `${what}: no ratelimit`)
    if (described?.content === undefined) return claim(response.bytes.length === 0, `${what}: has a body`)
    claim(Object.keys(described.content).includes(type ?? ''), `${what}: content type ${type}`)
    if (response.json === undefined) return
    const schemaPointer = [...pointer, 'content', type, 'schema'].map((part) =>
      encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1')),
    )
    validate(schemaPointer.join('/'), response.json, what)
  }
}

/** Errors that need a valid key. */
const KEYED = [
  'invalid_parameter',
  'invalid_path',
  'unexpected_body',
  'tier_required',
  'quota_exceeded',
  'too_many_requests',
]

function claim(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(`A response does not match its description: ${otherwise}`)
}

type Pointer = readonly string[]

/** Returns the JSON pointer of a response: of its operation, or of a shared response below `/api/v1`. */
function findPointer(
  description: Description,
  method: string,
  path: string,
  status: number,
): Pointer | undefined {
  const { paths, components } = description
  const plain = decodeReadable(path.split('?')[0] ?? '')
  const templates = Object.keys(paths).toSorted((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
  const template = templates.find((candidate) =>
    new RegExp(`^${candidate.replace(/\{\w+\}/g, '[^/]*')}$`).test(plain),
  )
  const operation = method.toLowerCase()
  const responses = template === undefined ? undefined : paths[template]?.[operation]?.responses
  if (template !== undefined && responses !== undefined) {
    const response = responses[status] ?? {}
    if ('$ref' in response) return response.$ref.slice('#/'.length).split('/')
    return ['paths', template, operation, 'responses', String(status)]
  }
  if (status < 400 || !/^\/api\/v1(?:[/?]|$)/.test(path)) return undefined
  const name = Object.keys(components.responses).find((shared) =>
    JSON.stringify(components.responses[shared]).includes(`"status":{"const":${status}}`),
  )
  return ['components', 'responses', name ?? '']
}

function decodeReadable(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

function readPointer(description: Description, place: Pointer): Response | undefined {
  let value: unknown = description
  for (const name of place) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name]
  return value as Response | undefined
}
