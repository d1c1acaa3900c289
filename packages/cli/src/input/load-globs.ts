import { createRequire } from 'node:module'
import type picomatch from 'picomatch'
import type * as tinyglobby from 'tinyglobby'

const require = createRequire(import.meta.url)

/** Loads picomatch when it is needed: a build of named files and folders has no globs. */
export function loadPicomatch(): typeof picomatch {
  return require('picomatch') as typeof picomatch
}

/** Loads tinyglobby when it is needed. */
export function loadTinyglobby(): typeof tinyglobby {
  return require('tinyglobby') as typeof tinyglobby
}
