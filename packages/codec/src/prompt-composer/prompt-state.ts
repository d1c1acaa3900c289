import { sha256 } from '@noble/hashes/sha2.js'
import { CompressError } from '../compress/compress-error.ts'
import type { PriorPrompt } from './types.ts'

/** The first part of a state; another way to write states needs another one. */
const VERSION = '1'

/**
 * Writes the state of a prompt: a digest of its text, its header and the bodies in it, then the
 * digest of each body.
 *
 * @param bodies digests
 */
export function writeState(text: string, rosetta: string, bodies: readonly string[]): string {
  return [VERSION, digestValue([text, rosetta, bodies]), ...bodies].join('.')
}

/**
 * Reads the digests of the bodies that are in a prompt.
 *
 * @throws {CompressError} `prompt_mismatch` if text, header and state are not those of one prompt
 */
export function readState({ text, rosetta, state }: PriorPrompt): string[] {
  const isText = [text, rosetta, state].every((value: unknown) => typeof value === 'string')
  const bodies = isText ? state.split('.').slice(2) : []
  if (isText && state === writeState(text, rosetta, bodies)) return bodies
  throw new CompressError(
    'prompt_mismatch',
    'The text, the rosetta and the state are not from the same prompt',
    'Pass the whole object that composePrompt or extendPrompt returned last; without it, compose all packs again.',
  )
}

/**
 * Returns a digest of a JSON value, 32 hexadecimal digits.
 *
 * @example
 * digestValue('body')
 */
export function digestValue(value: unknown): string {
  const digest = sha256(new TextEncoder().encode(JSON.stringify(value)))
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
