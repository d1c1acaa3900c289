// Characters that readers take for each other. Of each family the lists of terms have one member.

/**
 * Families of signs beside those of Unicode: strokes, quotes and brackets, and forms that differ only in weight or size.
 * Outlined and filled forms tell themselves apart and stand in different families.
 */
const SIGNS: readonly string[] = [
  '─━═—―⎯ー一ㅡ',
  '├┣',
  '┤┫',
  '┐┓╗',
  '┘┛╝',
  '┌┏╔',
  '└┗╚',
  '█■▮∎',
  '░▒▓',
  '●⚫',
  '·∙•・･‧⋅',
  '○◦◎◯⭕〇°º。˚',
  '□▫☐◻',
  '◆♦',
  '◇⟡',
  '▲∧',
  '△∆Δ',
  '▼∨',
  '▽∇',
  '►▶▸',
  '★⭐',
  '☆✦',
  '→⇒➡⟶➜',
  '←⇐',
  '↑⇑',
  '↓⇓',
  '✓✔√',
  '♪♫',
  '〈‹⟨く',
  '〉›⟩',
  '«《≪',
  '»》≫',
  '「『〔',
  '」』〕',
  '【〖',
  '】〗',
  '、‚',
  '〜∼',
  '≈≒',
  '±∓',
]

/** Twins between and within Han, kana and Hangul. */
const SCRIPTS: readonly string[] = (
  '日曰 未末 土士 己已巳 人入 大太犬 千干于 天夫 木本 王玉主 目自 午牛 由田甲申 刀力カ 口囗ロ 夕タ ' +
  '二ニ 八ハ 卜ト 工エ ノ丿 丶ヽ 人ㅅ スス へヘ べベ ぺペ りリ せセ ンソ シツ ッつっ ' +
  'やゃャヤ ゆゅュユ よょョヨ あぁ アァ いぃ イィ うぅ ウゥ えぇ エェ おぉ オォ カヵ ケヶ '
)
  .trim()
  .split(' ')

/**
 * Vowels of Hangul that look alike and that most speakers pronounce alike, in decomposed form (NFD), each with the one
 * that stands for its group: ㅔ for ㅐ, ㅖ for ㅒ, ㅚ for ㅙ and ㅞ. Syllables that differ only in these are twins.
 */
export const ALIKE_VOWELS: ReadonlyMap<string, string> = new Map([
  ['\u1162', '\u1166'],
  ['\u1164', '\u1168'],
  ['\u116b', '\u116c'],
  ['\u1170', '\u116c'],
])

export const LOOK_ALIKES: readonly string[] = [...SIGNS, ...SCRIPTS]

/** Characters that look like ASCII, beside those of Unicode's table. */
export const LIKE_ASCII: ReadonlySet<string> = new Set('│┃¦')

/**
 * Characters that Unicode's table compares with ASCII but that are nothing like it: it takes ∞ for two letters o, and 丶
 * for a grave accent.
 */
export const UNLIKE_ASCII: ReadonlySet<string> = new Set('∞≫丶')

/**
 * Signs that a reader joins with a digit next to them: currency, letter-like signs, and digits of other scripts.
 */
export const DIGIT_OR_UNIT: RegExp =
  /[\p{Sc}\p{So}\u2100-\u214f零〇一二三四五六七八九十百千万萬亿億兆两兩廿壹贰叁肆伍陆柒捌玖拾](?<![\u2500-\u2bff\u3000-\u30ff])/u

/** Characters of scripts that are written from right to left, and controls of direction. */
export const RIGHT_TO_LEFT: RegExp =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/u
