// Property tests draw the same cases on every run unless PACKS_PROPERTY_SEED is another number, or `random`.
import fc from 'fast-check'

const { PACKS_PROPERTY_SEED: seed = '20261121' } = process.env
if (seed !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })
