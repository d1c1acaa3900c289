import { fastify } from 'fastify'
import { expect, it } from 'vitest'
import { watchMethods } from '../../src/http/watch-methods.ts'

it('tells the methods of a path from all its routes, and none where only an open end leads', async () => {
  const app = fastify()
  const findMethods = watchMethods(app)
  app.get('/a.b', () => '')
  app.post('/a.b', () => '')
  app.route({ method: ['GET', 'PUT'], url: '/keys/:id/rotate', handler: () => '' })
  app.get('/rest/*', () => '')
  await app.ready()
  expect(findMethods('/a.b')).toEqual(['GET', 'HEAD', 'POST'])
  expect(findMethods('/keys/1/rotate')).toEqual(['GET', 'HEAD', 'PUT'])
  for (const path of ['/axb', '/a.b/', '/keys//rotate', '/keys/1/2/rotate', '/rest/x', '/']) {
    expect(findMethods(path)).toEqual([])
  }
  await app.close()
})
