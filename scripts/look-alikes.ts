// Characters that readers take for each other. Of each family the lists of terms have one member.

/** Twins between and within Han, kana and Hangul. */
export const LOOK_ALIKES: readonly string[] = (
  '日曰 未末 土士 己已巳 人入 大太犬 千干于 天夫 木本 王玉主 目自 午牛 由田甲申 刀力カ 口囗ロ 夕タ ' +
  '二ニ 八ハ 卜ト 工エ ノ丿 丶ヽ 人ㅅ スス へヘ べベ ぺペ りリ せセ ンソ シツ ッつっ ' +
  'カガ キギ クグ ケゲ コゴ サザ シジ スズ セゼ ソゾ タダ チヂ ツヅ テデ トド ハバパ ヒビピ フブプ ホボポ ' +
  'かが きぎ くぐ けげ こご さざ しじ すず せぜ そぞ ただ ちぢ つづ てで とど はばぱ ひびぴ ふぶぷ ほぼぽ ' +
  '生생 文문 正정 中중 은음 是最 加如 不下 成或 全金 地他 大天 未本 기가 나다 아이 ' +
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

/**
 * Letters that say something to a reader of their language beside text in another one: numerals, units of time, money and
 * counting, words of logic, of size and of place, and particles, which stand behind words of any language.
 */
export const WORDS_BY_THEMSELVES: ReadonlySet<string> = new Set(
  '零〇一二三四五六七八九十百千万萬亿億兆两兩廿壹贰叁肆伍陆柒捌玖拾半' +
    '年月日时時分秒周週岁歲元円圆圓角号號番个個名点點度倍回次层層页頁章第米里台本件张張字数數枚人位家天' +
    '每全最更加除任各各又再已仍甚極极另' +
    '不和或是与無无非否没未但且若如同即对對错錯有的了在之也都只不要可能会會' +
    '上下左右前后後內内外中大小高低長长短多少东西南北東新旧舊' +
    '년월일시분초주세원호번개명점도배회차층쪽장제만천백억조경해이사오구삼육칠팔공영할수위리인반전부한' +
    '은는가을를의에로와과도만서께하상중대소고저장단신정불무내외못없안각약첫또더' +
    'のをにはがでともへやかねよなノヲニハガデトモヘ' +
    'อ',
)
