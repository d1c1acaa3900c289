export * from './keys-document.ts'
export {
  deriveKeyId,
  encodeSignedText,
  findSigner,
  findWrongSignature,
  isKey,
  isKeyList,
  MAX_SIGNATURES,
  type PackSignature,
  readSignatures,
} from './pack-signature.ts'
