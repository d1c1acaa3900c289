import type { Evaluation } from '@packs/catalog'

/** Creates a sound evaluation of a version with the scheme `glossary-1`. */
export function makeEvaluation(sketch: Partial<Evaluation> = {}): Evaluation {
  return {
    model: 'gpt-5-mini',
    date: '2026-11-28T10:00:00.000Z',
    scheme: 'glossary-1',
    questions: 240,
    documents: 12,
    difference: -0.004,
    interval: [-0.021, 0.012],
    margin: 5,
    verdict: 'as good',
    ...sketch,
  }
}
