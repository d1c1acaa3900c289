import type { IncomingHttpHeaders } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** A body as tests look into it; what is really there, the check has checked. */
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

/** An answer as it came. */
export interface ApiResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  /** Empty where the body is encoded. */
  readonly text: string
  readonly json: ResponseBody
}

interface Response {
  readonly headers?: Readonly<Record<string, HeaderReference>>
  readonly content?: Readonly<Record<string, unknown>>
}

/** Points to a field that is always there, or describes one that may be. */
interface HeaderReference {
  readonly $ref?: string
  readonly required?: false
}

type Responses = Readonly<Record<string, Response | { readonly $ref: string }>>

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Responses }>>>>
  readonly components: { readonly responses: Readonly<Record<string, Response>> }
}

export type ResponseCheck = (method: string, path: string, answer: ApiResponse) => void

/** The one check that every answer of the tests passes: status, content type, header fields and body, as described. */
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

  return (method, path, answer) => {
    const what = `${method} ${path.slice(0, 120)} → ${answer.status}`
    claim(/^[0-9a-f-]{36}$/.test(String(answer.headers['x-request-id'])), `${what}: no request id`)
    const type = answer.headers['content-type']?.split(';')[0]
    const isProblem = answer.status < 400 || type === undefined || type === 'application/problem+json'
    claim(isProblem, `${what}: content type ${type}`)
    const place = findPointer(description, method, path, answer.status)
    if (place === undefined) {
      if (answer.json !== undefined && answer.status >= 400)
        validate('components/schemas/Problem', answer.json, what)
      return
    }
    const response = readPointer(description, place)
    claim(response !== undefined, `${what} is not described`)
    for (const [name, { required }] of Object.entries(response?.headers ?? {})) {
      if (required === false && answer.headers[name] === undefined) continue
      claim(answer.headers[name] !== undefined, `${what}: no ${name}`)
      validate(`components/headers/${name}/schema`, answer.headers[name], `${what} ${name}`)
    }
    if (KEYED.includes(answer.json?.code))
      claim(answer.headers['ratelimit'] !== undefined, `${what}: no ratelimit`)
    if (response?.content === undefined) return claim(answer.bytes.length === 0, `${what}: has a body`)
    claim(Object.keys(response.content).includes(type ?? ''), `${what}: content type ${type}`)
    if (answer.json === undefined) return
    const pointer = [...place, 'content', type, 'schema'].map((part) =>
      encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1')),
    )
    validate(pointer.join('/'), answer.json, what)
  }
}

/** Refusals that only who sent a good key can get. */
const KEYED = ['invalid_parameter', 'invalid_path', 'unexpected_body', 'tier_required', 'quota_exceeded']

function claim(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(`An answer is not as described: ${otherwise}`)
}

type Pointer = readonly string[]

/** Where an answer is described: with its operation, else, below `/api/v1`, as one for all paths. */
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
