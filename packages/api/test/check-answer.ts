import type { IncomingHttpHeaders } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect } from 'vitest'

/** An answer as it came. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  /** Empty where the body is encoded. */
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of many shapes
  readonly json: any
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
    expect({ what, ok: validator(value), errors: validator.errors }).toEqual({ what, ok: true, errors: null })
  }

  return (method, path, answer) => {
    const what = `${method} ${path.slice(0, 120)} → ${answer.status}`
    expect(answer.headers['x-request-id'], what).toMatch(/^[0-9a-f-]{36}$/)
    const type = answer.headers['content-type']?.split(';')[0]
    if (answer.status >= 400 && type !== undefined) expect(type, what).toBe('application/problem+json')
    const found = findOperation(description, method, path)
    if (found === undefined) {
      if (answer.json !== undefined && answer.status >= 400)
        validate('components/schemas/Problem', answer.json, what)
      return
    }
    const [template, operation] = found
    const response = description.paths[template]?.[operation]?.responses[String(answer.status)]
    expect(response, `${what} is described`).toBeDefined()
    for (const name of Object.keys(response?.headers ?? {})) {
      expect(answer.headers[name], `${what} has ${name}`).toBeDefined()
      validate(`components/headers/${name}/schema`, answer.headers[name], `${what} ${name}`)
    }
    if (response?.content === undefined) return expect(answer.bytes.length, what).toBe(0)
    expect(Object.keys(response.content), what).toContain(type)
    if (answer.json === undefined) return
    const place = [template, operation, 'responses', answer.status, 'content', type, 'schema'].map((part) =>
      encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1')),
    )
    validate(`paths/${place.join('/')}`, answer.json, what)
  }
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
