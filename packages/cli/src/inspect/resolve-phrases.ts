import { decode, parseRosetta } from '@packs/codec'
import { pickSigns } from './pick-signs.ts'

/**
 * Gives what each term of a header stands for, nesting resolved.
 *
 * @param content what the header is of
 * @throws CliError `invalid_pack` of {@link pickSigns}
 */
export function resolvePhrases(content: string, rosetta: string): string[] {
  const { entries } = parseRosetta(rosetta)
  const [sign = ''] = pickSigns(1, content + rosetta)
  return decode(entries.map(({ term }) => term).join(sign), rosetta).split(sign)
}
