export * from './keys-document.ts'
export {
  deriveKeyId,
  encodeSignedText,
  findWrongSignature,
  isKey,
  MAX_SIGNATURES,
  type PackSignature,
  readSignatures,
} from './pack-signature.ts'
