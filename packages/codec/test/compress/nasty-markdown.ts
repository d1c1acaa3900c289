import fc from 'fast-check'

const WORDS = [
  'certificate', 'transparency', 'log', 'ML', 'HTML', 'HT', 'Rust’s', 'don’t', 'kube-apiserver', '`kubectl get pods`',
  'the', 'of', 'https://example.org/docs/a_b', '20-1', '1.2.3', '中文', '証明書の', 'カタカナー', 'ภาษาไทย', '한국어', 'العربية', 'עברית',
  'e\u0301', '\u0301', '👩‍👩‍👧‍👦', '🇩🇪', '👍🏽', '𝒳', '𐐀', '§', '◆', '~', '%', '+', '!', '/', '[DECODE]', '|', '=', '\\', '\\|', '\\n', '"', '\u0000',
  '\u2028', '\u200d', '\ufeff', '\u00a0', '\u1c89', '\ua7cb', 'C++', '<b>', '-->', '_x_', '**y**', '[a](b)', '#', '-', '*', '1.', '>', '```', '|-|', '---', '[x]',
] // prettier-ignore

/** Phrases that may be entries of every scheme. */
export const PHRASES: readonly string[] = [
  'volatile xenon log of the quiet harbour',
  'big grey kettles',
  'velvet-lined hats, big and grey',
  'with the velvet hat of our grandmother',
  'kubeproxyctlagent',
]

// prettier-ignore
const JOINTS = [
  ' ', ' ', ' ', ' ', '', '\n', '\n\n', '\r\n', '\r', '\t', '  ', ', ', '. ', ' | ', '|', '\n- ', '\n    ',
  '\n> ', '\n# ', '\n```\n', '\n|',
]

const capitalPair: fc.Arbitrary<string> = fc
  .tuple(fc.integer({ min: 0, max: 25 }), fc.integer({ min: 0, max: 25 }))
  .map(([a, b]) => String.fromCharCode(65 + a, 65 + b))

const word: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 3, arbitrary: fc.constantFrom(...PHRASES) },
  { weight: 1, arbitrary: capitalPair },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 3 }) },
)

const phrase: fc.Arbitrary<string> = fc
  .array(fc.tuple(word, fc.constantFrom(...JOINTS)), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.flat().join(''))

/** Markdown-like text of a few phrases, repeated in any order, so that there is something to replace. */
export const nastyMarkdown: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(phrase, { minLength: 1, maxLength: 4 }),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...JOINTS)), { minLength: 1, maxLength: 24 }),
  )
  .map(([phrases, order]) => order.map(([at, joint]) => phrases[at % phrases.length]! + joint).join(''))
