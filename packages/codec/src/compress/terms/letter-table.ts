import { findOwnScripts, scriptOf, type TermScript } from '../../rosetta/term-scripts.ts'
import type { Tokenizer } from '../../tokens/get-tokenizer.ts'

/** A letter of Han, kana, Hangul or Thai that can be a term: it is one token. */
export interface TermLetter {
  readonly term: string
  readonly script: TermScript
  /** Whether it forms one token with a space before it, which then costs nothing. */
  readonly mergesWithSpace: boolean
  /** Extra tokens of a use, averaged over the tokenizer families. */
  readonly bareCost: number
  /** Extra tokens of a use after a space, averaged over the tokenizer families. */
  readonly spacedCost: number
}

/** The letters that are one token of a tokenizer, the cheapest in all families first. */
export function listLetters(tokenizer: Tokenizer): readonly TermLetter[] {
  const known = KNOWN_LETTERS.get(tokenizer)
  if (known) return known
  const forms = tokenizer.name === 'o200k_base' ? FORMS_O200K_BASE : FORMS_CL100K_BASE
  const letters: TermLetter[] = []
  for (let at = 0; at < LETTERS.length; at++) {
    const term = LETTERS[at]!
    const form = Number(forms[at])
    if ((form & 1) === 0) continue
    letters.push({
      term,
      script: scriptOf(term)!,
      mergesWithSpace: (form & 2) !== 0,
      bareCost: parseInt(BARE_COSTS[at]!, 36) / TOTAL_WEIGHT,
      spacedCost: parseInt(SPACED_COSTS[at]!, 36) / TOTAL_WEIGHT,
    })
  }
  KNOWN_LETTERS.set(tokenizer, letters)
  return letters
}

const KNOWN_LETTERS = new WeakMap<Tokenizer, readonly TermLetter[]>()

/**
 * Lists the letters that may be terms of a text (SPEC.md §8.6, T8): the text neither contains them
 * nor is written in their script.
 * @param authorTerms The author's terms, which no letter may look like (T4): their scripts are
 *   excluded too.
 */
export function listFreeLetters(
  tokenizer: Tokenizer,
  text: string,
  authorTerms: readonly string[] = [],
): readonly TermLetter[] {
  const ownScripts = findOwnScripts([text])
  // Each on its own, because one term of a script is enough.
  const authorScripts = new Set(authorTerms.flatMap((term) => [...findOwnScripts([term])]))
  const present = new Uint8Array(0x10000)
  for (let at = 0; at < text.length; at++) present[text.charCodeAt(at)] = 1
  return listLetters(tokenizer).filter(
    ({ term, script }) =>
      present[term.charCodeAt(0)] === 0 && !ownScripts.has(script) && !isNear(script, authorScripts),
  )
}

/** Only letters of Han and kana look alike. */
function isNear(script: TermScript, scripts: ReadonlySet<TermScript>): boolean {
  if (script === 'Han' || script === 'Kana') return scripts.has('Han') || scripts.has('Kana')
  return scripts.has(script)
}

// Terms by their cost over eight tokenizer families (docs/schemes.md). scripts/list-terms.ts writes the tables.

// Start of the generated tables.

/** The cost, in the tables below, of a token that is extra in every tokenizer family. */
export const TOTAL_WEIGHT = 12

/** Letters, cheapest first. */
export const LETTERS: string =
  '문아입主注提查되보여요자작生自アコス发图实方用解登示输당동성열우재结设간복식용음화환作公初商国安平模特英行身配金니おイウエキサシテドパリレ京今保信修共利制包化合土子学定客引微所手打投接推明星格海清电相社科系至表通重音项黑들み专事交代体写动区华参取广技排期标流版物直知经编说近连送드산そつ业书付价列功司含头密导山式形影性报放料易服机法游片画界见计达运速造量门색으ちわんムา义产份企传供具册击务原变启场处备存容尔州录径待总户收政效族条样步比码种称移组统规视认议记论证评试话语读辑述选释闭问间院集미けュョ品市常店心思指支理看符管网老色藏部面首验습哈型展布改权板果消省程立联言超路转道局序库态持按据束构民率环现端简素线置考资车阳러历县器城基好建志江票站算索约级节装调载队题터情意拉换求确象责败费值感播景活源员案治력름告命息段래료값优找核串检监络询详销键析预箱购软邮频额签账钮链址填결버함控글메목운적진กพมส임출태합ขจทบยร教ビเ光克博卡古吉太曲校武白石거행ง午印受川德根디ペไ兴决切宁房昌状男致返云充典况划助匹句响团害射尾差己归戏截批承映显替林歳牌神私继续维较边追져ャะ概波深照精花获青능临乐属红顺马习互享什仅介依友听女带母父笑答美群股识词足跳采闻际须록剧割声河火略策罪轮遍银随隔普永育范菜质雷候做款気湖球税突雅想择括档량류른均坐境货션턴対描搜弹掉测储围执扩栏树盘积练细缩览订训访买宋屏庆聚飞乘仓审旗课距递阵颜龙损针池拟框楼汽滑窗钟块稍稿夹绘轴滤모변추파검것계마받발방설실연예최프필확감관남두등말법본북역접준직질집현형활금길날달답독박범베별심암애업온올절창청코학협巴갈견급난막밀센악울익잡탄황富국노망석액판強彩徒曰温격곡군네링속손승염왕택冬冷创判危圣察寸尚巨幅役彼御抗折松歌济港秋났님송십움워징찰催军农冠凌刊刑刚刻办劳升協卢卫卷圈園夏寺封尤尺尼幕幸幻弟弱彦往征律抱授探援春曜曼李浜浦浩浮渐渡黄겠규김느았엇젝특医夜官宮快苏근민伊党兰叶吃君吸孔宝宣室屋底座康怎急怪战故村杯架株毛泰热盛秦臺血衣극널블世兄兵兼副叫史吨吹哦困够夢夫央季孩宇守宏宗宽宿居届希帝庄府庭怒怕怖愛戴托操攻敏救敢散敦敬斗斯施昨昭晨朝杀杂杉材杜杰泳牙益盗盟礼福秀秘籍紀织绝臣苦街补觀觉讲辆辛込迎远迪野阿雄香黎델례론팅ฎ亚住佐佛剩压哥哲奥币师席帮忘忠念振毕毫混赤食丹举乌仕休众伯俺勝早末欧沙演町留皆皇皮羽良诺透風々丈严丽乱予争亡亮亲仁仙伙伤伦估伴伸佩佳俄俊俗唐売奇岩延旅旋旦朋朗望札柏森欢汉油灵爵玛眼竹纳罗耳背胡與草菲诉译诗诚賞轻逃逆逐途適邦附降险隆雨雪静革願顾顿랜倒勇勒勢味呼喜埃堂堡奈契奖奴姆姐委姿岛岸担拜拿捕摘摩晚智暗桑棒楚欲氏沃沉洋洛津派灣爆爷爸班睛督祖祭究竟競篇紧纯署职肉肩舞般船艺艾芬荣落裏誉誰谢贝财赛赫走趣遇違遗遭郎钱阪阶难霍領馆런럼럽렇렬률르릭린립健偶售唯唱善喊坂坚坡坦塔塞墨恐恩恶惊摇暴残洲肯荷营萨虑裁裕警護谈谓谷震략殊돌맞알객곳볼혹골긴몰싸압엔욕혼맥벽새엘잔혁刘插벨완탁凯弘徐掛添곤몬벤솔슬웃짓冒冰冲净凉凝函删券努励卓寝尊巡巧弃弄忽抓抜抵押抽掌措握歉浅浪浴낸섭슈왔욱젠핀혀혜刷刺卒圳寄寒寻寿尖尿幼彻循徽덕웨吴床戸杨柳泛굴귀厚啪固孟宜履帽废怀攝敌斤昔枪泉泊泡泥泽淡苗衡跨辅辞辰迈롤롭롯슨웠ฯ允兒养兽剂剑厂厅厘叔召吐吾哭孙孤宅宾帖忆忍忙慧戒扣扫扶挑挥挺毎毒牧療盒盖租绍绩绿缓缘触讨讯迅迫迷迹锁锋锦陈招甘笔丸乔乳仲伟壁岳拼晋柄桂桌棚汇沈玩紫胸诸跟逊铁镇丘丝乙乡亭仔仪伏侧侯侵促借债偷募勤培套姑姓岗岡廉恒惠拓拥拳撒撮旁晴晶染柔柜柱柴桥棋欣氧汗污汤沒沟沿洗洪液漂漏漫灯玄甜穆童篮粉紙纽耐聊聘肌胆胎胞胶舍舒航舰艇芝芯芳茶袋袖诊豪貌貸貼賀赢赵跌跑践逸镜闪闲阅阴阻陵陶陷隐障頂頃頼飯飲렉렸릴릿털偏僕呈呵喝坊坏坛坪塑墓墙奉奏奔奶恋恢惑捷摆晓暂暖洁洞涉润涨湿溪灰焦焼爽玲珍珠琳琴眉眠睡硬碰祝祥稳穴穿筋筑粒累罚羊耀耗肃肖肥荐荒药菌虎虚虫裂覆谋谱豆贫贸赞赶遣避邪郑郭钢铺霞露靠驱驶驾랍램랫룹셔셨働峰殖础碎龄몇홈겁몸붙혈홀맨凤낼닫冻凭凰凸劲弊披揉揭浆浓渠닉닌밍핑卧卸圾寓寨尝尸幽彰曝曹苍辽匙啥屁屯杏泄淘淫盈盐肤苑辉辖辣辨辱덤샵슷兑兔削剪厉厕厦厨叉吊吕吞吟吻夺孕宠宴帅帐怡戻扑扒扰扱挣昂昆昼杆栋栗毁毅牡牢牲癌盆盾绑绕绪综缴臀臭迁迟锅锐锡払煌丨旺矩倡倾勿埔堵壮姚姜姨岭拖拘拨撑撞撸旨旭桶欺汁沁湘琪纬聪胖舔舟艳芽诀诈诱販赌跃轨轩逻逼遂铜铭阁陌陪雀雕雞靖颖颗馈馨셀亏亩佣侠侣俱偿呻喘喷坑坝塘奋惨惯晒晰暇暑暨涓涛涩涯涵滋滚滴灾玻甸畅禧禽禾筛筹箭粤粮纠纲纵纷纹罩羞肺茸荡萄萌萝虐虹袜袭裙裤裸谜谨豹贡贤贯赁赋赔赚赠赴趋遥遮遵邀邑邻钥钻铃霸驰驻룸硕碍碑窍窝窥종순찾읽돈넘술존취납옵축충줘측닷멀물살웹윈핏효증광됩팩품梅横韓튀획澳病研藤酒麻즈嘉妈妻威激炮烈犯独痛翻翼脱莱娘娜婚悲慢梁猜疑疲脸舗莉莎蒂蒙融鹿麦랩므爰瓦鲁숙폐흥봉녁즌嘿婷悠搭械狗狠糕翌脚腰腾董酸醒嘴妇妖妙妮妹婆悉悟患慎搞搬携擦梨梯潜潮炉炎炸烟烦狂狐狼猫症砂糖翔脂脑腐腕腹腿蓝薄饰植榜涙煤猛猪献疆疫疾矿磨踏骑骨鲜懂瓜瓶磁繁蛇蛋蛛齐숨논삭풀픈픽봐鞋葛嘎妓妞娃娇娛悦慈慰潘潭澡炒炼狸砖翁翠莓莞莲蒲酷鹅鹏鹰麟垃峡椒猎猴疯疼薪骗骚骤鲸噜槽瓣踩踪躁높권누즐토희씨히괴쟁졌족템퓨嗯崎熊瑞締魔嫌骰瞬鳥鬼좋좌먹궁놓봤텐훈죠틴咨媒熟縄鉴餐駅鼓鼠鼻燃燕璃魂魚눈끝농쉬헤휘콩틱힌咖뢰씬媳嫁嫂嫩嬉鸿鼎蜜鸣鸭膜蔡蕉醉魅魏놀힘쇼댓흡뮤쇄鑫蜂蝶쉽'

/** Extra tokens of each letter, in base 36. */
export const BARE_COSTS: string = unpack(
  '0{a0}1{q}3{52}4{1e}55556{g0}7{c0}8{7f}9{25}a{2f}b{1i}c{p}d{p}e{s}f{a}g',
)

/** Extra tokens of each letter after a space, in base 36. */
export const SPACED_COSTS: string = unpack(
  '0001123{7}4{5}5{6}6{9}7{9}8{r}9{17}a{v}b{16}c{1s}d{l}e{i}f{n}g{m}h{a}i{6}j{5}k{6}0cccd{8}ffg{6}hhhhkk3336{b}7{a}8889{f}a{9}b{a}c{11}d{9}e{6}f{r}g{d}h{7}i{9}j{7}k{6}bbbcccd{f}ef{5}g{a}hhij{7}kkkddgk00003{f}6{i}7{m}8{e}9{7}a{g}b{t}c{1k}d{8}e{z}f{2l}g{m}h{o}i{25}j{2r}k{10}l66677778{8}9{6}a{5}b{c}c{14}d{g}e{8}f{x}g{1h}hhhi{n}j{38}k{2o}l{6}7788889abbbc{g}d{b}eef{k}g{1h}hhiiij{1k}k{2f}lllmmm366789999aaaabbc{8}defffghhhhi{7}j{e}k{k}lll88efiij{f}k{15}l{g}m{9}8defgghijk{r}l{c}m{6}bcceefggij{5}kl{5}mmoop9bdefiiijjkmmmmnoooop{5}deeefijjjkkkm{5}nnooop{6}ffghhilnopc',
)

/** Which forms of each letter are one token of o200k_base: 1 alone, 2 after a space, 3 both. */
export const FORMS_O200K_BASE: string = unpack(
  '3{x}113{20}1333131111331311333131{5}331131331{7}31113331113131311331{5}33111331{5}31{a}31{c}31311131131{q}331113{a}13333133311333113113111313131{7}3113131131{6}331113333131{8}31113333131{8}331{c}3331{e}31{8}3{18}113{6}113{5}1131{m}311331{a}3313313{8}1{9}31{5}3131131{9}331{5}31133111131311311131{e}331{i}3111331{9}31{h}3{24}113{7}113{6}13111331331331{6}313331131331{k}31{i}31131{6}31333111333313{5}131{5}331111331131{5}3333111131331{o}331{6}31131{d}31{c}31{j}33131{6}3113111131{b}3{5}11331111331131313131{p}313131{7}3133133311331111331{b}311131{7}31{5}331{g}3131{b}31{r}31{5}3311131{5}311131{1d}3{f}11311333131333131113331{c}3131{16}311333131131311131{c}31{1r}3331111331333131131331111331{e}31{9}331{o}31{x}3111131{3k}3313333131{t}3311113133331{1u}31{n}3331{a}31{5}3331{6}31{2q}3{6}1331333131133311333113133113111331311331{8}31{n}3313111331133111131{15}3131{p}33131{1e}3{7}1{9}33131{5}3{5}1{7}31{c}3{5}1{c}331{9}33311113113',
)

/** Which forms of each letter are one token of cl100k_base: 1 alone, 2 after a space, 3 both. */
export const FORMS_CL100K_BASE: string = unpack(
  '3{m}133331{6}331{a}31{8q}31{p}3332131{b}01{6}0130{c}10110{5}1110{7}10{q}10010{6}1110{8}10{8}100101110001010{a}1001010{e}10011011010{5}110001110{m}10{6}10{d}100101100002{c}02{5}0020020{yr}20{8i}',
)

// End of the generated tables.

/** Writes out runs of one digit, `7{12}`, whose length is in base 36. */
function unpack(table: string): string {
  return table.replace(/(.)\{(\w+)\}/g, (_, digit: string, count: string) =>
    digit.repeat(parseInt(count, 36)),
  )
}
