export {
  KeysError,
  MAX_KEYS_TEXT,
  parseKeys,
  serializeKeys,
  type KeysDocument,
  type KeysErrorCode,
  type KeyStatus,
  type PublicKey,
} from './keys-document.ts'
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
} from './pack-signature.ts'
