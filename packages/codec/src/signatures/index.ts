export * from './keys-document.ts'
export {
  deriveKeyId,
  encodeSignedText,
  findWrongSignature,
  isKey,
  type PackSignature,
  readSignatures,
} from './pack-signature.ts'
