// Property tests draw the same few cases on every run. PACKS_PROPERTY_SEED is another number, or `random`, and PACKS_PROPERTY_FACTOR
// how many times as many cases are drawn; tests that name a number multiply it with `countRuns`.
import fc from 'fast-check'

const { PACKS_PROPERTY_SEED: seed = '20261121', PACKS_PROPERTY_FACTOR: factor = '1' } = process.env
const numRuns = 100 * Number(factor)
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  numRuns,
  ...(seed !== 'random' && { seed: Number(seed) }),
})
