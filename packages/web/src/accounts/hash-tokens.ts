import { hash } from 'node:crypto'
import type { getAdapter } from 'better-auth/db/adapter'

type Adapter = Awaited<ReturnType<typeof getAdapter>>

/** Sessions end this long after the sign-in, however often they are renewed. */
const LONGEST_MS = 30 * 24 * 60 * 60 * 1000
const METHODS = ['create', 'findOne', 'findMany', 'count', 'update', 'updateMany', 'delete', 'deleteMany']

/** What a method gets, and a row of a session that it returns. */
interface Query {
  readonly model: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly where?: readonly { readonly field: string; readonly value: unknown; readonly operator?: string }[]
}
type Row = Readonly<Record<'token' | 'createdAt', unknown>>

/** Returns what the database stores of the token of a session. */
export function digestToken(token: unknown): string {
  return hash('sha256', String(token), 'base64url')
}

/**
 * Makes an adapter store digests of session tokens, so that a copy of the database is not a
 * session. What is found by a token, or created with it, has the token itself.
 */
export function hashTokens(adapter: Adapter): Adapter {
  const wrap = (name: string) => {
    const run = adapter[name as 'create'] as (query: Query) => Promise<unknown>
    return async (query: Query): Promise<unknown> =>
      query.model === 'session' ? showTokens(query, await run(hideTokens(query))) : run(query)
  }
  return {
    ...adapter,
    ...Object.fromEntries(METHODS.map((name) => [name, wrap(name)])),
    transaction: (work) => adapter.transaction((inner) => work(hashTokens(inner as Adapter))),
  }
}

function hideTokens({ data, where, ...query }: Query): Query {
  const hide = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(digestToken) : digestToken(value)
  const clauses = where?.map((one) => (one.field === 'token' ? { ...one, value: hide(one.value) } : one))
  const token = data?.['token']
  const hidden = token === undefined ? data : { ...data, token: hide(token) }
  return { ...query, ...(hidden && { data: hidden }), ...(clauses && { where: clauses }) }
}

function showTokens({ data, where = [] }: Query, found: unknown): unknown {
  if (Array.isArray(found)) return (found as Row[]).filter((row) => !isOver(row))
  if (typeof found !== 'object' || found === null) return found
  const equal = where.find(({ field, operator = 'eq' }) => field === 'token' && operator === 'eq')
  const row = found as Row
  return isOver(row) ? null : { ...row, token: data?.['token'] ?? equal?.value ?? row.token }
}

function isOver({ createdAt }: Row): boolean {
  return Date.now() - Number(createdAt) > LONGEST_MS
}
