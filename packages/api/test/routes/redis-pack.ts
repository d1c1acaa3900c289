import { buildVersion } from '../../../test-kit/test/build-version.ts'

/** A text in which each question of the tests is answered by one section. */
export const redis = `# Redis

An in-memory store.

## Key expiration

Set a time to live with \`EXPIRE\`. An expired key is removed lazily.

## Eviction

When the memory is full, the least recently used keys are evicted.

## Persistence

Snapshots and an append-only file survive a restart. The configuration file chooses one of them, or both.
`

export const bread = buildVersion({
  slug: 'bread',
  title: 'Sourdough bread',
  body: '# Bread\n\nFlour, water and salt make a sourdough.\n',
  scheme: 'none',
})
