import type { IncomingHttpHeaders } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** A body as tests look into it; what is really there, the check has checked. */
export interface AnswerBody {
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
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  /** Empty where the body is encoded. */
  readonly text: string
  readonly json: AnswerBody
}

interface Response {
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>
  readonly content?: Readonly<Record<string, unknown>>
}

interface Description {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>>
  >
  readonly components: { readonly headers: Readonly<Record<string, { readonly required: boolean }>> }
}

export type AnswerCheck = (method: string, path: string, answer: Answer) => void

/** The one check that every answer of the tests passes: status, content type, header fields and body, as described. */
export function createAnswerCheck(document: object): AnswerCheck {
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
    const found = findOperation(description, method, path)
    if (found === undefined) {
      if (answer.json !== undefined && answer.status >= 400)
        validate('components/schemas/Problem', answer.json, what)
      return
    }
    const [template, operation] = found
    const response = description.paths[template]?.[operation]?.responses[String(answer.status)]
    claim(response !== undefined, `${what} is not described`)
    for (const name of Object.keys(response?.headers ?? {})) {
      claim(answer.headers[name] !== undefined, `${what}: no ${name}`)
      validate(`components/headers/${name}/schema`, answer.headers[name], `${what} ${name}`)
    }
    if (response?.content === undefined) return claim(answer.bytes.length === 0, `${what}: has a body`)
    claim(Object.keys(response.content).includes(type ?? ''), `${what}: content type ${type}`)
    if (answer.json === undefined) return
    const place = [template, operation, 'responses', answer.status, 'content', type, 'schema'].map((part) =>
      encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1')),
    )
    validate(`paths/${place.join('/')}`, answer.json, what)
  }
}

function claim(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(`An answer is not as described: ${otherwise}`)
}

function findOperation(description: Description, method: string, path: string): [string, string] | undefined {
  const plain = path.split('?')[0] ?? ''
  const templates = Object.keys(description.paths).toSorted(
    (a, b) => Number(a.includes('{')) - Number(b.includes('{')),
  )
  const template = templates.find((candidate) =>
    new RegExp(`^${candidate.replace(/\{\w+\}/g, '[a-z0-9_.-]+')}$`).test(plain),
  )
  if (template === undefined) return undefined
  const operation = method.toLowerCase()
  return description.paths[template]?.[operation] === undefined ? undefined : [template, operation]
}
