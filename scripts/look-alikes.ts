// Characters that readers take for each other. Of each family the lists of terms have one member.

/**
 * Rows of letters of which one at most is a term. Unicode's confusables have few twins between or within Han, kana, Hangul and
 * Thai, so these are our own.
 */
export const LOOK_ALIKES: readonly string[] = [
  // Han and kana that differ in a stroke.
  ...split(
    '日曰 未末 土士 己已巳 人入 大太犬 千干于 天夫 木本 王玉主 目自 午牛 由田甲申 刀力カ 口囗ロ 夕タ ' +
      '二ニ 八ハ 卜ト 工エ ノ丿 丶ヽ せセ ' +
      'オ才 テチナ千于 ヌスメ又 ヒ匕 セ七 ケ个 ク久 イ亻 ナ十 ヤ也 ウ宀 ム么厶 ル儿 サ艹 ホポネ木术 キ丰 ワ冖 メ乂 ヨ彐 ' +
      'シンソツゾヽ クタケ コユロヨ ウワフラヲクうヴ アマヤ セサぜ ヤセ ルレ エニ ' +
      'るろ はほけばぱぼぽげ まも さきちら あおめぬ れわね いり しレ くへ たなに こに 水ポ为カ',
  ),
  // Thai: letters with the same outline, and those that are read alike.
  ...split('พฟผฝฬภ บปษ กถภฤฦ คศดตฅข ชขซฃฆฉฌ นมฉณฒฌญ ลส สศษ เแ ไใโ ทหฑฮ ทธฐฑฒถ ฎฏฐดต ธรฐ ฮอ วจ ยญ รลฬ ะๆ'),
  // Hangul beside kana and Han: the same outline, or the reading of the character beside it.
  ...split('人ㅅ스ス 口ㅁ미 丁우 生생 文문 正정 中중 은음 是最 加如 不下 成或 全金 地他 기가 나다 아이'),
  // Han that a comparison of glyphs in two fonts finds nearly equal (correlation of 0.9 or more).
  ...split(
    '間問 撒撤 杨扬 輸輪 傳傅 續績 間聞 模摸 枪抢 撸橹 并井 奸奷 迈辺 開聞 责贵 折拆 木术 昨咋 離雕 好奸 ' +
      '古占 柏拍 開間 抗杭 措惜 挑桃 関閲 挂桂 乌鸟 几凡 實寶 冒胃 优忧 城域 博搏 延廷 操橾 博傅 開関 末朱 ' +
      '貨貸 幕暮 味咪 档挡 句旬 札扎 間閲 青胃 萄葡 開閲 租粗 怕拍 横構 技枝 問聞 間關 聞閲',
  ),
]

/** Forms of one character: simplified, traditional, Japanese and variant. They look alike, or are read as the same word. */
export const FORMS_OF_ONE: readonly string[] = split(
  '专専專 业業 丝絲 並并 丰豊 为為 丽麗 么麼 义義 乐楽樂 乗乘 习習 书書 买買 乱亂 乾干 于於 亚亞 产產産 ' +
    '亲親 从從 们們 价価價 优優 伝传傳 伤傷 伦倫 体體 來来 侧側 係系 備备 儿児兒 关関關 兴興 养養 兽獸 ' +
    '冈岡 冊册 写寫 军軍 农農 冲沖 决決 况況 准準 减減 処处處 击撃擊 则則 创創 別别 制製 剂剤 剧劇 办辦 ' +
    '务務 动動 効效 势勢 勝胜 区區 医醫 华華 协協 单単單 卖売 卫衛 卷巻 历歴歷 县県 参參 双雙 収收 发発發 ' +
    '变変變 叶葉 吗嗎 员員 响響 問问 営營营 团団團 园園 囲围 図图圖 国國 场場 坛壇 報报 増增 声聲 复復 ' +
    '夢梦 头頭 妇婦 妈媽 娛娱 学學 宝寶 实実實 宫宮 寻尋 导導 将將 岛島 师師 帐帳 带帯帶 帰归 广広廣 库庫 ' +
    '应応應 开開 异異 強强 当當 录錄録 征徴 徳德 志誌 态態 总総總 恋戀 恶悪 愛爱 愿願 戏戲 战戦戰 戶户 ' +
    '扫掃 抜拔 択择 护護 挂掛 换換 据據 採采 掲揭 摄攝 敌敵 敗败 术術 机機 杀殺 杂雑 权權 条條 构構 查査 ' +
    '标標 样様樣 桥橋 检検 楼樓 欠缺 欢歓歡 步歩 气気氣 汉漢 沢泽 沪滤 洁潔 测測 济済 浜滨 游遊 湾灣 満满滿 ' +
    '烟煙 烧焼 热熱 环環 现現 电電 画畫 疗療 监監 盘盤 着著 码碼 确確 离離 种種 积積 称稱 竞競 笔筆 筑築 ' +
    '简簡 節节 类類 紀纪 約约 紅红 納纳 純纯 紙纸 級级 細细 紹绍 終终 組组 経經经 結结 絡络 給给 統统 絶绝 ' +
    '続續续 維维 網网 緒绪 線线 編编 縮缩 績绩 罗羅 职職 联聯 聞闻 胆膽 脚腳 艳艷 艺芸藝 荐薦 荡蕩 药薬 ' +
    '补補 袜襪 装裝 見见 規规 視视 覚觉 覧覽览 観觀观 訂订 計计 訊讯 討讨 記记 訪访 設设 許许 訳译 診诊 ' +
    '証證证 評评 詞词 詢询 試试 話话 詳详 認认 誘诱 語语 說説说 読讀读 誰谁 課课 調调 談谈 請请 論论 講讲 ' +
    '謝谢 識识 議议 讓让 負负 財财 貨货 責责 貸贷 費费 貼贴 資资 賞赏 質质 購购 赖頼 車车 転轉转 軽轻 較较 ' +
    '載载 輪轮 輯辑 輸输 边辺 达達 过過 运運 还還 这這 进進 远遠 违違 连連 适適 选選 邮郵 鉄铁 銀银 鍵键 ' +
    '鏈链 鐘钟 門门 閉闭 間间 閱閲阅 队隊 阳陽 阴陰 阶階 际際 险険 难難 雞鸡 韓韩 頂顶 項项 順顺 須须 預预 ' +
    '領领 頻频 題题 額额 顔颜 風风 飛飞 飯饭 飲饮 館馆 馬马 験驗验 魚鱼 鳥鸟 黃黄 黑黒 齢龄 龍龙',
)

/**
 * Letters of Hangul in decomposed form (NFD) that look alike, each with the one that stands for its group. Most speakers pronounce
 * those of the first row alike; the others differ in a stroke.
 */
const ALIKE_JAMO: ReadonlyMap<string, string> = new Map(
  split(
    '\u1166\u1162 \u1168\u1164 \u116c\u116b\u1170 ' +
      '\u1100\u1101\u110f \u1103\u1104\u1110 \u1107\u1108\u1111 \u1109\u110a \u110c\u110d\u110e ' +
      '\u1161\u1163 \u1165\u1167 \u1169\u116d \u116e\u1172 ' +
      '\u11a8\u11a9\u11aa\u11bf \u11ab\u11ac\u11ad \u11ae\u11c0 \u11af\u11b0\u11b1\u11b2\u11b3\u11b4\u11b5\u11b6 \u11b7\u11bc \u11b8\u11b9\u11c1 \u11ba\u11bb\u11bd\u11be',
  ).flatMap(([first, ...others]) => others.map((other) => [other, first!] as const)),
)

const SMALL_KANA = 'ぁぃぅぇぉっゃゅょゎゕゖ'
const LARGE_KANA = 'あいうえおつやゆよわかけ'

/**
 * Returns the form in which letters of a sound are equal: kana without regard to hiragana or katakana, voice marks and size, and
 * syllables of Hangul without the strokes that {@link ALIKE_JAMO} lists.
 */
export function foldLetter(letter: string): string {
  return Array.from(letter.normalize('NFD').replace(/[\u3099\u309a]/g, ''), (each) => {
    const kana = /[ァ-ヶヽヾ]/.test(each) ? String.fromCharCode(each.charCodeAt(0) - 0x60) : each
    const small = SMALL_KANA.indexOf(kana)
    return small < 0 ? (ALIKE_JAMO.get(kana) ?? kana) : LARGE_KANA[small]!
  }).join('')
}

function split(rows: string): string[] {
  return rows.split(' ')
}

/**
 * Letters that say something to a reader of their language beside text in another one: numerals, units of time, money and
 * counting, words of logic, of size and of place, pronouns, verbs of doing and stopping, and particles.
 */
export const WORDS_BY_THEMSELVES: ReadonlySet<string> = new Set(
  '零〇一二三四五六七八九十百千万萬亿億兆两兩廿壹贰叁肆伍陆柒捌玖拾半' +
    '年月日时時分秒周週岁歲元円圆圓角号號番个個名点點度倍回次层層页頁章第米里台本件张張字数數枚人位家天' +
    '每全最更加除任各各又再已仍甚極极另' +
    '不和或是与無无非否没未但且若如同即对對错錯有的了在之也都只不要可能会會' +
    '上下左右前后後內内外中大小高低長长短多少东西南北東新旧舊' +
    '년월일시분초주세원호번개명점도배회차층쪽장제만천백억조경해이사오구삼육칠팔공영할수위리인반전부한' +
    '은는가을를의에로와과도만서께하상중대소고저장단신정불무내외못없안각약첫또더' +
    '为从将到由给向及以其何你我他她它您这那此先就因则别反真请当把被让令使而并还才却乃即尽已曾便该某谁哪吗吧呀呢啊啦嘛么些等们着过得者乎亦既虽' +
    '例免止停禁误限需必应准许拒防弗莫离去来入出进退起开关减增始终完成正负异类像似然很几多整满空单双复假死破灭断失缺余越默' +
    '그나너비및까든면라며듯뿐란같있많후내된될됨됐했게지기고늘않둘넷' +
    'のをにはがでともへやかねよなノヲニハガデトモヘ' +
    'อ',
)
