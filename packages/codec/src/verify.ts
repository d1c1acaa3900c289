// What clients need to check and pin packs, and what shows their terms. Nothing here loads schemas or other dependencies.
export * from './decode/find-occurrences.ts'
export * from './pack/generated/shapes.ts'
export * from './pack/lock.ts'
export * from './pack/pack-fields.ts'
export * from './pack/verify-pack.ts'
export * from './pack/version-range.ts'
export * from './signatures/keys-document.ts'
export {
  deriveKeyId,
  encodeSignedText,
  findSigner,
  findWrongSignature,
  isKey,
  isKeyList,
  MAX_SIGNATURES,
  readSignatures,
  type PackSignature,
  type SignedPack,
  type WrongSignature,
} from './signatures/pack-signature.ts'
