/**
 * Character classes of the pre-token patterns, one bit each. Marks (`\p{M}`) have {@link UPPER},
 * {@link LOWER} and {@link OTHER}, because the patterns of o200k_base allow them in words and in
 * runs of punctuation.
 */
export const UPPER = 1
export const LOWER = 2
export const LETTER = 4
export const NUMBER = 8
export const SPACE = 16
export const NEWLINE = 32
export const OTHER = 64

/** Only in {@link asciiClasses}: the byte is part of a multi-byte character. */
export const MULTIBYTE = 128

/** A byte that never occurs in UTF-8. It terminates a text and has no class. */
export const END_OF_TEXT = 0xff

/** Class of the character at a byte of well-formed UTF-8; 0 at {@link END_OF_TEXT}. */
export function classAt(bytes: Uint8Array, at: number): number {
  const ascii = asciiClasses[bytes[at]!]!
  return ascii === MULTIBYTE ? classes[codePointAt(bytes, at)]! : ascii
}

export function widthOf(byte: number): number {
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
}

function codePointAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!
  const second = bytes[at + 1]! & 0x3f
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second
  const third = bytes[at + 2]! & 0x3f
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[at + 3]! & 0x3f)
}

/** The classes of runs, by their index in {@link RUNS}. */
export const RUN_CLASSES: readonly number[] = [
  OTHER,
  LETTER | UPPER,
  LETTER | LOWER,
  LETTER | UPPER | LOWER,
  OTHER | UPPER | LOWER,
  NUMBER,
  SPACE,
]
/** Values of the characters of {@link RUNS}: 32 to 63 are followed by the next five bits. */
export const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const CHARACTERS = 0x110000

function decodeRuns(): Uint8Array {
  const classes = new Uint8Array(CHARACTERS).fill(OTHER)
  const digits = new Uint8Array(128)
  for (let digit = 0; digit < DIGITS.length; digit++) digits[DIGITS.charCodeAt(digit)] = digit
  let start = 0
  let value = 0
  let unit = 1
  for (let at = 0; at < RUNS.length; at++) {
    const digit = digits[RUNS.charCodeAt(at)]!
    value += (digit & 31) * unit
    unit *= 32
    if (digit >= 32) continue
    const end = start + Math.floor(value / RUN_CLASSES.length) + 1
    const found = RUN_CLASSES[value % RUN_CLASSES.length]!
    if (found !== OTHER) classes.fill(found, start, end)
    start = end
    value = 0
    unit = 1
  }
  classes[0x0a]! |= NEWLINE
  classes[0x0d]! |= NEWLINE
  return classes
}

/**
 * The classes of all characters in Unicode 16, the version of tiktoken. This is a table because
 * counts must not depend on the Unicode version of the runtime, and because `\s` must match what it
 * does in Rust: U+0085, but not U+FEFF. It lists runs of characters of one class: the length - 1,
 * times 7, plus the index of the class. Written by scripts/list-character-classes.ts.
 */
const RUNS: string =
  '4BiB3DGiDkCqBwFjBxF_BGvFG4BDqBMACOFDATA7EArBjFAzBBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCB' +
  'CBCBCBCBJBCBCBCBCBCBCBCBJBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCICBCBQICBCICPJWCICPQICICB' +
  'CBCICBJBCICPCBCIJDBQYICICICBCBCBCBCBCBCBCBJBCBCBCBCBCBCBCBCBJICBCPCBCBCBCBCBCBCBCBCBCBCBCBCBCBCB' +
  'CBCBCBCBCBCBCBCBCBCBCBCBCBCBsBICIJBCWCBCBCBCB-OD4F6DVwC7CfqBDADwDtYBCBCDABCHDQABjBBAPABAICxDA5Bw' +
  'HBJPQBCBCBCBCBCBCBCBCBCBCBCBeBCABCIJ_KrKBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCAuBBCBCBCBCBCBCBCBCBCB' +
  'CBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCICBCBCBCBCBCBJBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCB' +
  'CBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCAkIHDjB6IxB4JAEALALAExB5FVYkGqCcpJwEkCVKExVADuB' +
  'HnBKLAZKkCRHDpDDEuG6FHrTqCD7CkCjH8BKVDHEH2EZD8BDSDgB3DrFSVpCckFAmBxB8BiJlFAkH2LSD7DDuBiCLHkCAsDS' +
  'A0BHKH2EAtBADOYHEDuBHLHSDxBEVKARLHkCKHoBHDAEHSAmBVKH2EAtBAKAKAKHEAgBVLHSOEqBYADqBkCLREmCSA7BARA2' +
  'EAtBAKAfHED1BASASHDiDKLHkC4BDnBASA0BHKH2EAtBAKAfHEDuBHLHSqBSVKARLHkCADoB_BEDAmBORAYOKADAKOKOROwC' +
  'VgBOSAZHDjBE7C5C0CgB0BARA9EAsDHEDuBASAZqBLARHDHKLHkCxBvBADSA0BARA9EAiCAfHEDuBASAZqBLjBKAKLHkCAKE' +
  'tCZ7BARA7ILDuBASAZDcREvBRLHjEAmBASA6DOkFA7BADHtBOEVnBAEA1BjBkCHL0CsKEKuBctB1BAkCqIKADAfAkFADAiCE' +
  'K8BDHfADAuBAkCHY5GD6ELjBqEAEAEAEVL0BA4HVpEALfqCA5H4BEoMpJpEDkCjBmBZYSDSKuBRZ3CxCDEkCZHkIABcBHoJA' +
  'DQ7nCAYHtBADAYH7IAYHjHAYHtBADAYHlDArMAYHxOHS4BqEOsDpD0SHlBOwnEHzDGyFcpQOT0BqB6DZ4BhESmC6DLtC3CAR' +
  'ALtCoL9GODVDEHkCjBkCwDSAEkCjBrTqBfLqHEDcmP_B1GAxCVxC_BkCuGHfmCwJVyFjBrC8H9EgBVvLjCAoGHEkCjBkC0CD' +
  'xB2GwKgBlK0D0BOkCwD8BtCSuG4CKkCwJ_CtC4HpExBkCORkC4HH6BBCcnJHPpDSAwEYEmBEKSDcvJ1N2CDpH_H9NBCBCBCB' +
  'CBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCB' +
  'CBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCB6BBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBC' +
  'BCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCB6ByBlBHkBHzByBzByBlBHkBHzBABABABABzByB9CHzByBzB' +
  'yBzByBeAJdACOQAJdOXHJWVzBdcQAJdOsCkGNcGiKGpDFDHoBcDkCjB3C-KkHwDBVBHCPJPCABOdjBBABABAWACWCYCHJIcB' +
  'XVCAjLBChBz-EiN7Q4EzpEwGt3HqKrKBCPJBCBCBCWCBJBlBKPCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCB' +
  'CBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBJjBBCBCSBC4BFHlIACcCHkMqBDiDE9E4BtBAtBAtBAtB' +
  'AtBAtBAtBAtBA9GiKDplDGVKFoF9BnBAfHTKV2SHLHRAyTAYcpJAuUOa_B8GpKsD5GkCrG2BAnD5GkCqInD5lC8htB5N3u3E' +
  'uO-JH36BOsDkCKlEBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCDZAjCADBCBCBCBCBCBCBCBCBCBCBCBCBCB' +
  'CKLmPkCL8H7BHBCBCBCBCBCBCBQBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCBCDzBBCBC' +
  'ICBCBCBCBCDHBCBCDBCBQBCBCBCBCBCBCBCBCBCBCdCdCBCBCBCBCBCBCBCWCBCICHBCACACBCBCBCBsERBCRCtBEREYE9Eg' +
  'BVEOoB_BoLtCL6K7D_BkCjB7DmBODAKEkCgG1BH9E4CtCnGOZlK_C7CDkCjBfEiCkCfA7I_C4BRE0BLHkCjB9EODS6KEDSKL' +
  'fLDEDhFRHpCgBHRL_BmBHmBHmB4BtBAtBAoJAY6BDjBrRxH1BALHkCjB4rsCtC9EVzK145B-vCHiXjIsBtCecDEiCA3CAfAD' +
  'AKAKAwXgHpvC3D8NH2LxIwCVtDpDtD5NfAtd-DkCqBwFjBxFmCrTOmBHmBHmBHRuHwCAyFAhEAKAlDH-CnH5atC5JtCtMwDM' +
  'wYEncnGOzKiDE7FV8Ga4BoEF0BFcmIgBcuGH4HV0BAhB_IyIzI-QHkCjB2HV3HV0IxBoLtCnCAjDArBAIAoCAkDAsBAJOoLt' +
  'C9jC4B2E_B0BhFmBAiJA7B8OmBHDAwJAKODH9EH2B9EHvB1GxB9BpKhEAKchB2EoBVyFjPkMVMKuDHgKDSALcZYARAnGHSVE' +
  '9B6EnGMAnGT5G0BAgGLVhBpD2L_B2EH2BhEc2B6D6EvBpR7P6L_K0CgLqBoB4HZxBkCjBkCmB0EOgBAD1EvvB3GAiJALOKpD' +
  'R6LZnGkCDxB2EqCa2F6DZ_IvEvBlE9E4BSvLmDmCwGEKLD4BZ3JqCqBE0CrFqBkCjBS4H_CAkCVDLDxBxHEHD4BSsK_CYVZA' +
  'LkCDADVqEmC6DArFxCjBEKErNtBADAYAlDAiCqBlKxCckCjBZA0BHKH2EAtBAKAfALDuBHLHSHDjBEcfLHuBOgBmCiCADHDA' +
  'mIAD8BAEHEAZAgBDED0CLkGvL7DYckCVERrGsKpEKADxBkCjkBlKuBH8B6EYLnHsK0DODmCkCjIpJ4CDqBkCjBqE9F5FHmDV' +
  'yCVtBooBwJmD8V6G7GjEtC0BHDH0BAKAkFnBALHZDEDLtCkCjP0BHtIuBHuBDADE2FDjC0IuBDZxBExBDqC-JtDOD3D7PqrB' +
  'jHiDkCjB7BA_H1BA1BDiDpGcuGH3EA_C4PtBAKAmInBOEALAuBDExBkCjBmBAKA8GgBALAgBDqBkCzjChEZ4BLDE3CAqHuBO' +
  'gB0CkCEsSDiDxEmJypGjWnYwD4qBtgSjViDsqHpDEmBmD_B5pbct_Do4uBuG7DkCj7Lr8DqB1GAkCjBlRAkCjBuGHgBmCsKu' +
  'B4BYtCkCAvBAvEchEp-C3JOkCjrB6G7G_E4WpQVED-LqBZ3C5NKADEmCL7Ck-pBxB2uI4IiCqi9BYAtBAKAx_BiDDkGRHD7C' +
  'YxBw2C14PpXc3CO7BqBiCOLwxckCjxD_JH-Er2DgBOnBxB1BHuBrGZlgBS2aqEtCqEtXtFqdwFxFwFsBA5DwFxFBAIHBHIHW' +
  'AyBXACAsBAoCwFxFIAWHyBArBAxFIAWAdABOrBAxFwFxFwFxFwFxFwFxFwFxFwF_FHpFAqFAlBpFAqFAlBpFAqFAlBpFAqFA' +
  'lBpFAqFAlBBCH8K5vD-LV7KxBE7CEzEgBAmDpxHhCDnEjBlBsuBuBA0DHuBALAgBcuNgHEpY3JOuBtBHkCVDgmCuGEwDwJZk' +
  'CzmDgGZkCzuBuGLDkC8pDtBAYAKAlDA_qBH9BuB4IoHpHuBDVkC6sF7MATAatQ5JAnDnqBYA5FAKADHDAiCAYADADjBDVDAD' +
  'ADARAKADHDADADADADAKADHYAtBAYAYADAiCAzDcRAfAzD1-D5CuhTkCjhH8gkJ5GyscjBuwBHqsnB7CzizBiD-nEn7Qu2Dn' +
  'pKp4hBc80cppj4Et0Bpz8pB'

const classes = decodeRuns()

/** Class of each byte below 0x80, {@link MULTIBYTE} for all others, 0 for {@link END_OF_TEXT}. */
export const asciiClasses: Uint8Array = new Uint8Array(256).fill(MULTIBYTE)
asciiClasses.set(classes.subarray(0, 0x80))
asciiClasses[END_OF_TEXT] = 0
