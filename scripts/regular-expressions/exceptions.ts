/** Literals that are slow on long texts and never get one, by their code, each with the reason. */
export const BOUNDED: ReadonlyMap<string, string> = new Map([
  [String.raw`/\B(?=(?:\d{3})+$)/g`, 'reads the digits of a number: 21 characters at most'],
  [String.raw`/"(?:[^"\\]|\\[^])*"\s*(?=\S)|[^"]+/y`, 'the decoder of JSON stops where no token follows'],
  [
    '/\\s+([^\\s"\'<>/={}]+)(?:\\s*=\\s*(?:"([^"]*)"|\'([^\']*)\'|\\{([^{}]*)\\}|([^\\s"\'=<>`{}]+)))?/y',
    'tried once behind each attribute of a tag',
  ],
  [String.raw`/[ \t]*(?:\r{0,2}\n|\r|$)/y`, 'tried once behind each fence of front matter'],
  [String.raw`/\s*\/?>/y`, 'tried once at the end of each tag'],
  [String.raw`/[ \t]*\{#[\w:.-]+\}$/`, 'reads the last 300 units of a line'],
  [
    String.raw`/[ \t]*\{:?[ \t]*((?:\.[\w-]+|#[\w:.-]+)(?:[ \t]+(?:\.[\w-]+|#[\w:.-]+))*)[ \t]*\}$/`,
    'reads the last 300 units of a line',
  ],
  [
    '/((?:import|export)\\b[^\'"`;()=<>]*)(?:"[^"\\n]*"|\'[^\'\\n]*\')(?:[ \\t]+with[ \\t]*\\{[^{}]*\\})?;?[ \\t]*(?:\\/\\/[^\\n]*)?(?:\\r?\\n|$)/y',
    'tried once behind each statement',
  ],
  [
    '/"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\'|`(?:[^`\\\\]|\\\\.)*`/g',
    'reads an export of at most 4,000 units',
  ],
  [String.raw`/[ \t\n]*[a-z_:][\w.:-]*/iy`, 'tried once behind each part of a tag'],
  [String.raw`/[ \t\n]*=[ \t\n]*/y`, 'tried once behind each part of a tag'],
  ['/[^ \\t\\n"\'<=>`][^ \\t\\n"\'<=>`/]*(?=[ \\t\\n/>])/y', 'tried once behind each part of a tag'],
  [String.raw`/[ \t\n]*\/?>/y`, 'tried once behind each part of a tag'],
  [
    '/[ \\t]*[a-z_:][\\w.:-]*(?:[ \\t]*=[ \\t]*(?!["\'<=>`\\n\\r]|$)[^ \\t"\'/<=>`\\n\\r]*)*(?:[ \\t]*=[ \\t]*(?:"[^"\\n\\r]*"|\'[^\'\\n\\r]*\')(?=[ \\t/>]))?/iy',
    'tried once behind each part of a tag',
  ],
  [String.raw`/[ \t]*>[ \t]*(?=[\n\r]|$)/y`, 'tried once at the end of each tag'],
  [String.raw`/[ \t]*\/?>[ \t]*(?=[\n\r]|$)/y`, 'tried once at the end of each tag'],
])

/** Files that build a pattern from values, with what they build, one for each place in the order of the file. */
export const BUILT: ReadonlyMap<string, readonly RegExp[]> = new Map([
  // The paths of routes are our own.
  ['packages/api/src/create-api.ts', [/^\/api\/v1\/packs\/[^/]+\/versions\/[^/]+\.md$/]],
  ['packages/files/src/sources/find-sources.ts', [/\.(?:md|markdown|mdx|html\.md)$/i]],
  [
    'packages/codec/src/sections/split-sections.ts',
    [
      /(?<!\\)\{(?:#((?=[^{}]*[\p{L}\p{Nd}_])[\p{L}\p{M}\p{Nd}_.:-]{1,200})|\/\* ?((?=[^{}]*[\p{L}\p{Nd}_])[\p{L}\p{M}\p{Nd}_.:-]{1,200}) ?\*\/)\}$/u,
    ],
  ],
  // Two to four letters, of at most eight letters.
  [
    'packages/codec/src/compare-items.ts',
    [
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}_'’])+/gu,
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}_])+|\s+|[^]/gu,
    ],
  ],
  // Without the most characters of a part, which only end a match earlier.
  [
    'packages/search/src/analysis/terms.ts',
    [
      /((?<![\p{L}\p{N}])[a-zA-Z](?:\+\+|#)(?![\p{L}\p{N}])|[[\p{L}\p{N}\p{M}_]--[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]]+(?:['’.:\-]{1,2}[[\p{L}\p{N}\p{M}_]--[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]]+)*)|([[\p{scx=Kana}&&[\p{L}\p{M}]]--[\p{sc=Hani}\p{sc=Hira}]]+)|(\p{sc=Hani}+)|[[[\p{scx=Hani}\p{scx=Hira}\p{scx=Thai}]&&[\p{L}\p{N}\p{M}_]]--[\p{sc=Hani}\p{sc=Kana}]]+/gv,
    ],
  ],
])
