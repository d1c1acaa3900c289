// What parses and checks packs, to load on demand, without what parses sources.
export { digestPack } from '@packs/codec/internal'
export { checkPack, PackError, parsePack } from '@packs/codec/pack'
