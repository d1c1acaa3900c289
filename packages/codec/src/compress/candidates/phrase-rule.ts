/** What a scheme asks of a phrase. */
export interface PhraseRule {
  /** Net tokens that an entry of units `begin` up to `end` must bring, {@link REFUSED} if the scheme does not take it. */
  demand(begin: number, end: number): number
}

export const REFUSED: number = Infinity

/** Takes every phrase that saves anything. */
export const EVERY_PHRASE: PhraseRule = { demand: () => 1 }
