import { lintGlossary, type Compression } from '../compress/index.ts'
import type { Source } from '../source/types.ts'
import type { Teller } from './create-teller.ts'

/** Tells the author which glossary entries break a readability rule of `glossary-1` (SPEC.md §8.4). */
export function tellReadability(
  { body, glossary }: Source,
  { entries, tokenizer }: Compression,
  teller: Teller,
): void {
  for (const { rule, broken, message } of lintGlossary(glossary, { markdown: body, entries, tokenizer })) {
    const place = teller.findPlace(`glossary.${rule}.${broken === 'R9' ? 'term' : 'expansion'}`)
    teller.tell('glossary-readability', place, message, HINT)
  }
}

const HINT = 'Nothing to do if you mean it so; models read it less well.'
