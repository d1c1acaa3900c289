// Characters that readers take for each other. Of each family the lists of terms have one member.

/** Twins between and within Han, kana and Hangul. */
export const LOOK_ALIKES: readonly string[] = (
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

/** Letters that a reader joins with a digit beside them: numerals, and units of time, money and counting. */
export const NUMBERS_AND_UNITS: ReadonlySet<string> = new Set(
  '零〇一二三四五六七八九十百千万萬亿億兆两兩廿壹贰叁肆伍陆柒捌玖拾' +
    '年月日时時分秒周週岁歲元円圆圓角号號番个個名点點度倍回次层層页頁章第米' +
    '년월일시분초주세원호번개명점도배회차층쪽장제만천백억조',
)
