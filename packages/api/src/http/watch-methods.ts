import type { FastifyInstance } from 'fastify'

/** Tells which methods a path has, in the order of the alphabet; none where nothing is there. */
export type MethodFinder = (path: string) => readonly string[]

/** Remembers the routes of a server as they are mounted. One with an open end (`*`) says nothing about what is there. */
export function watchMethods(app: FastifyInstance): MethodFinder {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return
    const route = routes.get(url) ?? { pattern: writePattern(url), methods: new Set() }
    routes.set(url, route)
    for (const name of [method].flat()) route.methods.add(name)
  })
  return (path) => {
    const found = [...routes.values()].filter(({ pattern }) => pattern.test(path))
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].toSorted()
  }
}

function writePattern(url: string): RegExp {
  const literal = url.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(`^${literal.replace(/:\w+/g, '[^/]+')}$`)
}
