import { hash } from 'node:crypto'
import type { getAdapter } from 'better-auth/db/adapter'

export type Adapter = Awaited<ReturnType<typeof getAdapter>>

/** Sessions end this long after the sign-in, however often they are renewed. */
const LONGEST_MS = 30 * 24 * 60 * 60 * 1000

/** What the methods of an adapter get. */
interface Query {
  readonly model: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly where?: readonly { readonly field: string; readonly value: unknown; readonly operator?: string }[]
}

/** A row of a session, as far as it is changed here. */
interface Row {
  readonly token: string
  readonly createdAt: Date
}

/** Returns what the database stores of the token of a session. */
export function digestToken(token: unknown): string {
  return hash('sha256', String(token), 'base64url')
}

/**
 * Makes an adapter store digests of session tokens, so that a copy of the database is not a
 * session. What is found by a token, or created with it, has the token itself.
 */
export function hashTokens(adapter: Adapter): Adapter {
  const wrap = <Name extends keyof Adapter>(name: Name): Adapter[Name] => {
    const run = adapter[name] as (query: Query) => Promise<unknown>
    const wrapped = async (query: Query): Promise<unknown> =>
      query.model === 'session' ? showTokens(query, await run(hideTokens(query))) : run(query)
    return wrapped as Adapter[Name]
  }
  return {
    ...adapter,
    create: wrap('create'),
    findOne: wrap('findOne'),
    findMany: wrap('findMany'),
    count: wrap('count'),
    update: wrap('update'),
    updateMany: wrap('updateMany'),
    delete: wrap('delete'),
    deleteMany: wrap('deleteMany'),
    transaction: (work) => adapter.transaction((inner) => work(hashTokens(inner as Adapter))),
  }
}

function hideTokens({ data, where, ...query }: Query): Query {
  return {
    ...query,
    ...(data && { data: { ...data, ...('token' in data && { token: digestToken(data['token']) }) } }),
    ...(where && { where: where.map(hideToken) }),
  }
}

function hideToken(clause: NonNullable<Query['where']>[number]): typeof clause {
  if (clause.field !== 'token') return clause
  const { value } = clause
  return { ...clause, value: Array.isArray(value) ? value.map(digestToken) : digestToken(value) }
}

function showTokens({ data, where = [] }: Query, found: unknown): unknown {
  if (Array.isArray(found)) return (found as Row[]).filter((row) => !isOver(row))
  if (typeof found !== 'object' || found === null) return found
  const row = found as Row
  if (isOver(row)) return null
  const equal = where.find(({ field, operator = 'eq' }) => field === 'token' && operator === 'eq')
  return { ...row, token: data?.['token'] ?? equal?.value ?? row.token }
}

function isOver({ createdAt }: Row): boolean {
  return Date.now() - new Date(createdAt).getTime() > LONGEST_MS
}
