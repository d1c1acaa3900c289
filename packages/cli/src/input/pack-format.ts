// What parses and checks packs, to load on demand, without what parses sources.
export { digestPack, digestRows } from '@packs/codec/internal'
export { checkMinified, checkPack, PackError, parsePack } from '@packs/codec/pack'
