// Terms by their cost over eight tokenizer families (docs/compression.md). scripts/list-terms.ts writes the tables.

// Begin of the written tables.

/** What an extra token costs in all families, if it counts 1 in the costs below. */
export const TOTAL_WEIGHT = 12

/** Symbols, the cheapest first. */
export const SYMBOLS: string =
  '!"$%&/;?@^{}~£§°±€→¡«·»¿—„가개경구그기나다대리만문사수시아위이인입정제주하한해©不中主分加和在对是最注的如开当提更█「【查게내되번보부상서에여오요일자작전' +
  '지크할호上下名或新日生第自のをアコス®发图字实成数文方用类解●个为从将正登示输고당도동된로분성세열우원의장재†、」关结设간과복식야용은음화환】三二五人他作元全公出初北十南商四国地外' +
  '大天安小平年得时月有未本模特英行西身配金高니あおがとなにはイウエオカキクグサシセテデトドパフブプマメラリレロ万与东于京今件任会位保信修共内利到制包化单即可台合同后回土多子学定客家少' +
  '就已引张微我所手打投接推无明星来格此海清点电相社科系能至表通都重音项黑들소스어을いかきくしでまみもやジタル♪专两之也了事交代以体何你先其写动区华参及取只右号因完左并广後技排期标每流' +
  '版物由直知秒经给编说请近这连送里限页드라면산치うえこさすそただつてめよるれ业书付价但余使例再列则功反司向含复失头密导山式形影性报放整料断易服机法游片画界见角计该达过运还退速造量门除' +
  '색와으ちばらわんムン么义些产们份企传供具册击别前务原变否启场处备存容尔州应录径待总您户收政效族時条样止步比码种称移组统规视认议记论证评试话语误读辑进述选释闭问间陆院集미째けどュ品市' +
  '常店度心思指支理看真空符等管网老色藏要起部错长開関非面首验습트去哈型展布必改权板果消省程立者而联言超路转道局序库态持按据束构民水率环现章端简素线置考計资车間阳는러历县器城基好建志次' +
  '江然票站算索约级节装调载队题를터動周場情意拉换求确象责败费需值報感播景活源员始案没治력름停告命增息段래료像값¶░¢优异找核串检监络询详销键析预箱购软邮频额签账钮链址填↑↓╗╝≥생※' +
  '★결버비조함☆若♥←控공글단메명목신운적진회임체출태합半教ダチナバビピポ光克円博卡双古各吉曲校武白百石거행午印受川很德根디ペ兴决切変宁它実房才把昌状男致让返默〜云充典况准几划助匹占' +
  '句响团害射尾差归戏截批承數映显替林歳牌神私米终继续维许较边追져概波深照精花获那防青능ご临乐亿令問属現红被連顺马까든且习互享什仅介似依価友听女带术母無父着笑答結美群股识词資足跳采闻际' +
  '须록ざじろズ個剧割声河火略离策罪設轮遍银随隔零普永育范菜负质雷倍候做款気湖球番県税突見話雅域岁想择括档满記読량류른假均坐境货션턴¥►¬√発対描搜¤‡‰减弹掉換测♀储围执扩栏树盘积练' +
  '细缩览订训访买层宋屏庆聚飞乘仓审旗课距递阵颜龙损针池튼拟框楼汽滑窗钟块稍稿夹绘║轴滤≤때모반변없있중추파검것계마바받발방배설실안연예저처초최프필확각감강관남두등말매법본북불선역영유' +
  '접준직질집차표항현형활금길날달담답데독박백범베별병심암애약업온올응절점창천철청코타학협巴갈겨견급난막밀센악울육익잡착탄탈황ハベホボミモワ富張건교국너노더될망무석액언판ネ◆國對強彩徒' +
  '温격곡군네링속손승양염왕외월짜친카키택패六冬冷创判別劇危圣察寸將尚巨幅强役彼從御抗折書曾東松歌歩死济港秋編났님송십움워징찰침ケヒヘヴ▀▄▬催军农冠凌凡刊刑刚刻办劳區升協卢卫却卷又圈' +
  '園團夏實寺封專導尤尺尼尽幕幸幻弗弟弱彦往征律復抱授探援春曜曼李歲歷浜浦浩浮渐減渡發黄겠규김느았앙엇었였율젝특ガゴ।免医夜學官宮快苏馬黃근던득민ギザ伊党兰參叶吃君吸啊孔宝宣室屋底座康' +
  '怎急怪战故於村杯极枚架株毛泰為热盛秦臺血衣點극널늘레며브블억칠ゲゼ七世九兄內兩兵兼副另叫史吗吧吨吹哦哪啦困够夢央季孩宇守宏宗宽宿居届希帝庄府庫庭怒怕怖愛戰戴托操攻敏救敗敢散敦敬斗斯' +
  '施昨昭晨朝杀杂杉材杜杰況泳牙益盗盟監盤礼福秀秘籍紀続線织绝臣苦術街衛补觀观觉讲辆辛辦込迎远迪野長閉阿雄電頁香黎델례론칙팅む久亚住佐佛則剩創压員哥哲奥币师師席帮帰帶忘忠念振毕毫混爱短' +
  '約評赤食균루〉丁並丹举乌乗仕休众伯低來便俺勝旧早會朱欧沙演町留皆皇皮羽良诺透這週進風风ずぞねひふ॰々丈严丽乃乎乱予争井亞亡亦亮亲仁仍仙伍伙伝伤伦估伴伸佩佳係俄俊俗唐売奇她岩延旅旋既' +
  '旦朋朗望札柏森業欢汉決油灵爵玛甚産當眼禁種積竹紅細組給纳罗耳聞聲背胡與草菲製親調诉译诗诚賞轻逃逆逐途遊過適選邦關附降险陽隆雨雪静革項頭題願類顾顿랜ぎぐげぜづびぶほぼ們倒倫勇勒務勢味' +
  '呼喜單埃堂堡増奈契奖奴姆姐委姿岛岸廣廷愿担拜拿捕摘摩晚智暗某桑棒楚楽標權欲氏气氣沃沉洋洛津派準灣爆爷爸班畫睛督祖祭稱究竟競節篇納級紧終統續纪纯署羅義职聯職肉肩胜興舞般船艺艾芬荣萬落' +
  '裏規視覚許詞試誉認語說誰課谁谢負費質贝财贵赛赫走趣遇運達違遗遠遭郎钱門阪阶隊階際难離難霍預領领飛馆런럼럽렇려련렬령률르릭린림립健偶呀呢售唯唱善喊坂坚坡坦塔塞墨恐恩恶惊摇暴残洲湾確肯' +
  '荷華营萨虑處號裁裕補警議護谈谓谷越震란람랑략殊殺龍錄같├돌맞못알참▲객곳볼줄혹갑골긴몰벌싸압엄엔욕팀혼□걸따맥벽새싱얼엘잔찬혁÷刘插벨옥완탁♡凯単巻弘徐掛添곤닥듯몬벤솔슬웃짓찌척冊' +
  '冒冰冲净凉凝函删券努励势卓圆圖寝尊巡巧弃弄徳忽抓抜护抵押抽掌採措握歉歴浅浪浴済測겼낸닝섭슈왔욱젠짝찮킬탕핀혀혜◇刷刺协卒卖圳寄寒寫寶寻寿尋尖尿幼広彻循徽歡滿덕웨킨☴吴床戦戸杨柳泛農' +
  '굴귀깨칭॥厚収啪団固孟宜履帽废怀扎攝敌敵斤昔枝枪泉泊泡泥泽淡苗衡誌跨辅辞辰迈넷딩롤롭롯슨슴웠允兒养兽剂剑厂厅厘叔召吐吾哭园孙孤宅宫宾帖帯忆忍忙応慧戒戲扣扫扬扶挂挑挥挺毎毒牧療盒盖租' +
  '绍绩绿缓缘缺触讀變讓讨讯迅违迫迷迹锁锋锦陈招甘笔丰丸乔乳仲伟壁岳拼旬晋柄桂桃桌棚極汇沈玩紫胸詳诸財跟逊铁镇顔튜丘丝乙乡乾亭仔仪伏侧侯侵促借债偷募勤培套姑姓岗岡廉恒惠拍拒拓拔拥拳摄摸' +
  '撃撒撤撮旁晴晶染柔柜柱柴桥棋欠欣氧汗污汤沒沖沟沢沿洗洪液漂漏漢漫灯玄甜產穆童篮粉純紙紹経絶纽耐聊聘肌胆胎胞胶舍舒航舰艇芝芯芳芸茶袋袖覧観訳説诊豪貌貨責買貸貼賀購赢赵跌跑践輸轉适逸還' +
  '镜闪闲阅阴阻陰陵陶陷隐障雙頂頃順須頻頼額顶飯飲럭럴렉렌렴렵렸릴릿털偏側僕呈呵喝坊坏坛坪塑墓墙奉奏奔奶恋恢惑惜捷摆晓暂暖暮洁洞涉润涨湿満溪灭灰焦焼爽玲珍珠琳琴異眉眠睡硬碰祝祥稳穴穿竞' +
  '筆筋筑粒粗累絡纸罚羊耀耗肃肖肥荐荒药菌虎虚虫虽裂裝覆訂訊討訪診證識谋谱豆贫贴贸赏赖赞赶遣避邪郑郭钢铺霞露靠驗驱驶驾랍랙램랫룹셔셨働價峰殖础碎碼龄錯録∀앞잘몇홈≈△▼겁맛몸밤붙윤잠혈' +
  '홍찍홀❤∞맨밖▪凤낼닫앤왜짐팔冈冻処凭凰凸劲効弊択抢披掃揉揭浆浓渠潔닉닌밍융핑ヽ♂卧卸圾寓寨専尝尸幽彰曝曹苍辽匙啥図屁屯杏泄淘淫盈盐肤苑辉辖辣辨辱辺덤됨멘샵슷၊兆児兑兔削剪厉厕厦厨' +
  '叉吊吕吞吟吻囲夺孕宠宴帅帐帳忧怡戀戻扑扒扰扱挡挣昂昆昼杆杭栋栗毁毅牡牢牲癌盆盾绑绕绪综缴臀臭迁迟锅锐锡킹ゾ払煌丨旺矩倡倾勿埔堵壮姚姜姨岭拆拖拘拨拾撑撞撸旨旭査桶欺汁沁沪湘琪纬聪胃胖' +
  '舔舟艳芽诀诈诱販赌跃轨轩逻逼遂铜铭阁陌陪雀雑雕雞靖颖颗馈馨셀亂亏亩佣侠侣俱偿呻喘営喷坑坝塘奋奸惨惯晒晰暇暑暨涓涛涩涯涵滋滚滨滴灾玖玻甸畅禧禽禾筛筹箭築粤粮絲纠纲纵纷纹罩羞肺茸荡萄萌' +
  '萝虐虹袜袭裙裤裸覽証詢谜谨豊豹贡贤贯贷赁赋赔赚赠赴趋遥遮遵邀邑邻郵钥钻铃閱険霸驰驻룸셜ぱぷぽ硕碍碑窍窝窥않종포많및순찾클후싶읽첫평돈넘술존취통피납돼앨옵축충테플▽줘첨측팬▋▷掲낌닷' +
  '멀물살웹윈칼핏효☎☺✅徴됐삼증광년했향✨剤됩팩품梅網車깔優横韓韩튀획備儿澳病研維著藤軍酒麻녀념즈즘՞億嘉壇妈妻威樂樓機激炮烈犯独痛破經翻翼脱莱葉誘響렛〒傷娘娜婚島悪悲態慢擊據梁條猜' +
  '疑疲總績脸舗莉莎莫蒂蒙融論閲體鹿麗麦랩므様橋爰瓦談饭鲁락應構載輪輯숙폐폭폴빠빈폰빛歓흥봉춘큼풍総葡녁녕즌嘿婷悠搭梦械樣狗狠糕翌脚腰腾董転酸醒麼՛傳嘛嘴妇妖妙妮妹婆婦悉悟患慎搞搬携擦' +
  '梨梯潜潮炉炎炸烟烦烧狂狐狼猫症砂糖習翔脂脑腐腕腹腿艷蓝薄藝請饰냐냥植榜涙煙煤猛猪献疆疗疫疾矿磨縮踏鐘饮骑骨鲜鸡懂瓜瓶磁繁蛇蛋蛛較齐₹숨폼논빌빙삭춰풀픈픽봐鞋葛軽傅嘎妓妞娃娇娛娱悦慈' +
  '慰搏検潘潭澡炒炼狸砖緒翁翠腳莓莞莲蒲酷鹅鹏鹰麟냈垃峡椒猎猴疯疼薦薪薬骗骚骤鲸噜槽瓣踩踪躁큰높권누책머즐춤토투편큐텍티퍼페희씨쪽히써₪괴케။쟁졌족츠층템퓨험嗯쳐崎熊熱瑞締魔嫌橹骰齢께' +
  '奷環銀館瞬簡鳥謝鬼་좋커좌컨또먹먼컬궁쓰죽채총허놓뉴둘뿐컵꾸콜쿠끼죄틀끔봤텐텔헌훈죠틴咨씩켓켜톤၍၏។嗎媒熟縄鉴餐鉄養駅鸟鼓鼠鼻燃燕營璃講醫魂魚컴좀눈끝농쉬꽃콘헤휴촉푸끄퇴휘媽콩틱' +
  '펴힌咋咖咪뢰씀씬촌톡쳤媳嫁嫂嫩嬉껴襪鸿鼎뷰៖蜜鱼鸣鸭獸膜蔡蕉醉験魅魏뜻놀떠캐힘쇼끌댓뜨흡꺼뮤떤쇄鑫쁘쁜橾蜂膽蝶鏈쉽꿈蕩鍵쓴뒤'

/** Extra tokens of each symbol in base 36. */
export const BARE_COSTS: string =
  '000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
  '000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
  '000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
  '000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
  '000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
  '000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
  '000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
  '000000000000000000000000000000000000000000000000000001111111111111111111111111111112222333' +
  '333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333' +
  '333333333333333333333333333333333333333333333333333333333333333333333333333333333333333333' +
  '333333333333333333333333333333333333333333333333333333333333333344444444444444444444444444' +
  '444444444444444444444444444444444444455555666666666666666666666666666666666666666666666666' +
  '666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666' +
  '666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666' +
  '666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666' +
  '666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666' +
  '666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666' +
  '666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666' +
  '666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666' +
  '666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666' +
  '666666666666666666666666666666666666666666666666666666666666666666666666666666666666666666' +
  '666666666666666666666666667777777777777777777777777777777777777777777777777777777777777777' +
  '777777777777777777777777777777777777777777777777777777777777777777777777777777777777777777' +
  '777777777777777777777777777777777777777777777777777777777777777777777777777777777777777777' +
  '777777777777777777777777777777777777777777777777777777777777777777777777777777777777777777' +
  '777777777777777777777777777777777777777777777777777777777777777777777777777777777777777777' +
  '777777777777777777777777777777777777777777777777777777777777777777777777777777777777777777' +
  '777777777777777777777777777777777777777777777777777777777777777777777777778888888888888888' +
  '888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888' +
  '888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888' +
  '888888888888888888888888888888888888888888888888888888888888888888888888888888888888888888' +
  '888888888888888888888888888888888888888888888888888899999999999999999999999999999999999999' +
  '999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999' +
  '999999999999999999999999999999999aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' +
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbb' +
  'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbcccccccccccccccccccccccccccccccccccccccccccccc' +
  'ccccccccccddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddeeeeeeeeeeeeeeeeee' +
  'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeffffffffffffffffffffffgggghi'

/** Extra tokens of each symbol behind a space in base 36. */
export const SPACED_COSTS: string =
  '000000000000000000000000000000000000000000000000000001111111111112222233333333333333333333' +
  '333344444444444444455555555555666666666666666666666666777777777777777788888888888888888888' +
  '888888888888888888888888888888888888888888888888888888999999999999999999999999999999999999' +
  '99999999999999999999999999999999999999999999999999999aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' +
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' +
  'bbbbbbbbbbccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccdd' +
  'dddddddddddddddddddddddddddddddeeeeeeeeeeeeeeeeeeeeeeffffffffffffffffffffffffffffggggggggg' +
  'gggggggggggggggghhhhhhhhhhhhhhiiiiiiijjjjjjjkkkkkkkkl014bccccddddddddffgggggghhhhkk67ee003' +
  '33333345566666666666667777788888888899999999999999999aaaaaaaaabbbbbbbbbbbbbbbbbccccccccccc' +
  'cccccccccccccccccccccccccccccccddddddddddddeeeeeeeeeeeeeefffffffffffffffffffffffffffffffff' +
  'ffffffggggggggggggggggghhhhhhhhiiiiiiiiiiiiiijjjjjjjjjjjjkkkkkkk44589bbbcccccccccddddddddd' +
  'ddddddeefffffgggggggggghhiijjjjjjjkkkddegk000000000033333333333333333333366666666666666666' +
  '666666666667777777777777777777777777777777788888888888888888888888889999999999999999aaaaaa' +
  'aaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbcccccccccccccccccccccccc' +
  'ccccccccccccccccccccccccccccccccccccccccccccccccccccccccdddddddddddddddddeeeeeeeeeeeeeeeee' +
  'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeefffffffffffffffffffffffffffffffffffffffffffffffffffffffff' +
  'fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffggggggggggggggggggggggggggggg' +
  'gggggghhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii' +
  'iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiijjjjjjjj' +
  'jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj' +
  'jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjkkkkkkkkkkkkkkkkkkkkkkkkkkk' +
  'kkkkkkkkkkkkkkkkkkkkkklllm3566666777777888888888888999999999999aaaaaaabbbbbbbbbbbbbbbbbbbc' +
  'cccccccccccccccccccccccccccccccccccccccccccccccccccccccddddddddddddddddddddddddddeeeeeeeee' +
  'eeeeffffffffffffffffffffffffffffffffffffffffffgggggggggggggggggggggggggggggggggggggggggggg' +
  'ggggggggggggggggggggghhhiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiijjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj' +
  'jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj' +
  'jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk' +
  'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkllllllllmm5667788888888888' +
  '8999aaaabbbbbbbccccccccccccccccccccccccccddddddddddddeeffffffffffffffffffffffffggggggggggg' +
  'ggggggggggggggggggggggggggggggggggggggggggggggggggggghhiiijjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj' +
  'jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk' +
  'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkklllmmm33366666677778999999aaaaaaaabbbbbccccc' +
  'cccccccccccddddeeeeeffffgggghhhhhhiiiiiiiiiiiiiiijjjjjjjjjjjjjjjjjjjjjjjjjjkkkkkkkkkkkkkkk' +
  'kkkkkkkkkkkkkkkkkkkkllllllllmmmmm8889bccdeeffffiiiiijjjjjjjjjjjjjjjjjjjkkkkkkkkkkkkkkkkkkk' +
  'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkllllllllllllllllllllllmmmmmmmmmm68cddeeffgghijjkkkkkkkkkk' +
  'kkkkkkkkkkkkkkkkkkkkkkkkllllllllllllllmmmmmm9bccceeeeeeffffffggghiiijjjjjjjjjkkllllllmmmmm' +
  'nnnnoooppq9abbcdddeeeeeefffffggghhhiiiiiijjkkkkkllmmmmmmnooooooopppppppp9adeeefffghhiiijjj' +
  'jjkkkkkkkklmmmmmmnnnnoooooppppppppeffffghhhhiijlnnnoopppcgppje'

/** Symbols that a reader joins with a digit next to them. */
export const DIGITS_AND_UNITS: string = '$£°€©®三二五十四万两陆¢百亿零¥¤六七九兩伍萬兆拾玖億₹₪'

/** Acronyms of two capitals, the cheapest first. */
export const PAIRS: string =
  'QRQUXXXYXLXIJPJSKBKSKTKEKOVBVCVMVPVRVSVTVAVEVIVOWWWHWMWRWSWTWABBBCBDBFBLBMBNBPBRBSBTBABIBO' +
  'BUCXCVCYCBCCCDCFCGCHCLCMCNCPCRCSCTCACECICOCUDXDJDBDCDDDFDHDLDMDNDPDRDSDTDADEDIDUFXFKFWFBFC' +
  'FDFFFLFMFNFPFRFSFTFAFEFIFOGWGBGCGDGFGGGHGLGMGPGRGSGTGAGEGIHVHCHDHFHGHHHLHMHPHRHSHTHOLVLBLC' +
  'LDLFLGLLLMLPLRLSLTLALELILOLUMKMVMWMBMCMDMGMLMMMNMPMRMSMTMAMIMONKNVNYNBNCNDNFNHNLNMNNNPNRNS' +
  'NTNANEPKPVPYPBPCPDPFPGPHPLPMPPPRPSPTPAPEPIPOPURVRBRCRDRFRGRHRLRMRNRPRRRSRTRARERIROSKSVSWSY' +
  'SBSCSDSFSGSHSLSMSNSPSRSSSTSASESISUTXTVTBTCTDTFTGTHTLTMTNTPTRTSTTTATETIAZAKAVABACAFAGALAPAR' +
  'AAAEAIAOAUEQEXEVEBECEDEFELEMENEPERESETEAEEEUIXIVIBICIDIGILIMIPIRIAIEIIIOIUOBOCODOLOMOPOSOT' +
  'UKUVUCULUMUNURUTUEUIQTXPJDKLVLCWDWFHHQLNMUNJNWRWTUAJAWIQXVZZJKJOWFYAMQNUQQQAJJJEYEGUHYTWEH' +
  'VKWLOOQSXSNXSZJAKCKGKMKRWBWCWDWPWIBVBWBGCKDKDGFGGVHKHBMXMFMHNZNGNIPWPNRXRKTKAXEGIKOAOEUBUA' +
  'QBQCJTKKKVKYKDKPBKBHDVFYHWMJSQSJJRJCPJLHTJGKRJCJJBKNKAVFWKBJGNLYEWEOOVOGOUUXUDUFJMKWKHWGDY' +
  'FURUAQIHBXEZEIJWWVLWUWVHLJJLLXPQXTVGVNWOYYTYOWQEXBXCXDXMXRZXPXIWTZJVGXSXCZVXVWXOXKYMYTXFWX' +
  'JULZWNUHEKVDUGKIVVHUIJUUKUEJZAZEYOAYIZQMKFLKXEHXEYFVWYCQDZOZXAYC'

/** Acronyms of three capitals, the cheapest first. */
export const TRIPLES: string =
  'XXXXMLVALVARBBCBMICNNCPUCRCCRECSSCADCAMCOLCOMCONDNSDNADEFDOMGMTGUILOCMRIMAXMACMEMMICMINMIT' +
  'NUMPCRPCIPDFPHPPREPARPOLPOSRGBRNARAMREFREGREMRESRETROCROSSQLSHASSLSTRSECSEMTCPTERAWSABCACC' +
  'ADCALTAPPAPIASCASPASTASEENGENTEPSERRESPESTEOFIDEIMPINTISSISOIIIURLURIUSBUSDUSAUTCUTFVPNBST' +
  'CMSCSVCALCASCORDATDECDELDESDOCGPSGPUGRELCDLINMARMEDMODMONNPCNASPBSPATPIDRFCRSARECSDKSIMSOC' +
  'SUBABSAMDAAAESCICCINCINFINSIRABALCBCCLICURDLLDIVFTPGNUMPIPWMPCAPNGRSSRADROISVGSMSSPISSHSTD' +
  'SERSIGTLSACLAESAUTUDPCDCCEODVDFDAGCCSCOIBMCBDCBSDFSNBCIRSVIIBMWDONMLSNBANFLPURVOLBBBHIVPAC' +
  'SOLVOCBMPBASCIAGFPNATPASRMSTRIPILSNPSPESSEATPEEGOCTUSSGDPMVPNSANIHRAFSPRSARSUVEPAVATFCCHMS' +
  'HPVLDLMMARPMSSDIMFXVIWWECSPFBIMLBMTVNYCNHLNHSNSWRPGSDSSASICUBCECGILLCAFLUFCXYZVERBSDCHEDIR' +
  'MSGMERSDLSEQARGATTEXTCMDDEVDEMDISGENLASLIBNONRELSTESANADAASSEXPEMPENVIPSOPTJWTHELLATRPCSRC' +
  'SUPTABABIFFTOSTAFPESAUPSCSRBREFILSCHBROFIRGOPHARHEXMISCISGEOMOTPEMSVMSYNSGDSUSAMCBJPMCCPOD' +
  'XORMMPMSIITVOCDCHOTORACKIMGUIDENCIRCOTABINBOTDETFPSRTCROTASFOTPGPLPHYPLLEFIUNSBMCCIFDAGMPL' +
  'MSESMBIDFTOKECCWOWHDDKDECVSDFAQUEDENGERGISLANROMACSAMPASAINDISTISAORMCCCCPPCRMCSIHSVHALLOS' +
  'PICPORSCISESALSANCANNARPERPEURICTDSPDACMSCNICPRIIOCCFGGITMALTEMISPVIPBELCIDFAQMASPPPSAMSEO' +
  'EMSIPCIPABRACLRCRTDMADSLDALDOIGSTLTEPALDDRDOSMIDMOSPLCOSCCSCPGASCCSAPSOSFSMSVCSMACSAMBAMLP' +
  'MAVPVCPCBSNDSPDSSRATMEDTXIICCDDSMDINMVCMAGPLASSCAFCXIVCNSCETGSMHBONECPSPPSARBIRIPSMPSACSIL' +
  'APCASDECMOSIUAECSTLSDNFCPDTRCASVNSCMUFOUSCVIDBERCESDERLESSTMANTETHITEUNCVISBTCMOVSCRTIMACA' +
  'APSIOSPTRRDDREPSELSEPSURTEDAACAUDINVRTLADSIKEIDDPDOPMCSTAAPAETFIPPOCRUITBABGBPNAVPCMSPAADV' +
  'PUBSENBENBIOGALGIFSALIDCIMMOEMCRSCITMSTMORSTLECBCCTDIYGSLHDFPOWIPOWTOCPACPIDOEFACFAAHOLLOL' +
  'MLAMILPSDRCCTRETODACMAPRATLIPLJVMWOMCCPCCSCNCCPCCPRCPSDLCDANFREFTCGPALNGMCPMCUMPCMPHMSPMSS' +
  'NGOPSGSSPSAFSOMTNTTPPUCSUPCXCTBBQCFRCFOLLPLSULTDMGMNPRNSFPSTRTSSMESSTSOPTHCTLCATKESLUAVBLE' +
  'DAOABAATHATAETAIDSIGNIMOORDCELTRAAMSARRATSICOIMSCMPDIMHDRLENMESPEDREVSYSSEGSIDTMPAFFEOSIDX' +
  'OBJOPSTEXAMAISCQUINESAAPERCIAMVINWWWCPFDSTHUDMMCMMMNSTNEGPCSPTSASMASNISRUISVICCOSDDSSKUSCP' +
  'TOMVIRDEAHORLICNSSTTLAVGATIELFIPTOBSJPGMUTSPLAUGUIPVLCCIMDARLPCMLMISIOSXOSSJANWANGARHDLSSA' +
  'AVLAPKAISECSOMGJDKJSXJULWALBFSBSPBTSCDNCRADVRDPSDPIGMOGTAGAMHTCMAKNANNIRNOMPSIPOVRDFSPFTAM' +
  'TASAVCAUXEMTOCCOMXJFKVGAWTFWAVBCHBPMBAMCWECFLDHSDPRDRMDOJDUIGMCGTXGIRLDSLTCMMOMPGMSDMSMNXT' +
  'NRANOIPPCPSURHSRNGRTPSWTSCTSHRTBDTCLTFTTMZTPMTSRTSATTCAVRATVAOLEVPEDMEMCIMDOPCUIFCLAANGINA' +
  'BTNBUFCLKCTLTXTEFFUILDTOGRAPIXOCIDBGADMIRQJNICVEDEPDICGROGTKMDBTHREIFIIDWORBCMHCIMCAMSNCDS' +
  'DUPFECSHOIPVFUTEVTFIFGPILISLODMCSMPSSKFSCEINRJMPBYUBDSBNPCLLCPLCSLFHAFAGLCSLSMLTSLUAMPUMEP' +
  'MOZNDPNFSNRFNRLNSKNTNNEOPKKRVARCSRTESAXAHLATFEGLIDMOPPUNUUIGALEGANPIOCHRNOPREQOIDOSPCHKDRV' +
  'FLTFMLELECIRFLOPHIXSSFMCIDRBLLQLDJITWCSYYSDWCDNCGBRGDKGFXGHCHDCHLSLSBMMIMSRNYTSCNTPUABOESV' +
  'OSDUIBCLEPEGICAAMLCCRICPSTOIISCLOFRAABDEMIIECUSPDSCDSSNACNADPDAPDEODIXXIXIXCYPCDTCFAPCCRBC' +
  'ECGESRICDARNENSESSICSUNDCNTTESEMACTRCACCAFIASCTSNOSCERRISAPOATRUNANLPBACGPTLMSNFTPSCAEDONU' +
  'CHFLIMPPTAUSEQUECOKARVHSCDUCHPCMACINCIPCIODEGFEMFIAHUMMELMUSNCCPDPPMSPPEPAMPAPSBSADNEDUESG' +
  'VBAWWFBIMCBTCFDLIVMDRNIVNOKPLNPIBRMBRSVSLASEKAFRECUEMBEUAIVFIBSUMLVENACHINGONGCHAFERANAANI' +
  'ETSBURRENTELTOTNSEACPPECABBADEIVAOTTUNEBORGEDHAVRAPSSIADRAGRIELCEPDOBNAMDAVGMPTECESOJUNBUL' +
  'LUTMULTPSTACEPCEINXLSVEHCCMCMECPTCTAHANMMSMIGPAGOMSVACBTWBONFABHONNIENOVSNSAKAAVIALGODMOTC' +
  'UNIUNOKPIKOMKONVPSBLOBAYBESBISCPMCROCIVCICCOODHLDRODASDIADUTFELGEMHABHOMHUBMRTMIRMOQNCRNDA' +
  'NRCNABPCPPPSPRAPTOPESRTXRTRRACSWESBISPCSTISAVSAGSICSISTROTAKTALTICTITTURAMGEVAEDFEFTETCIIT' +
  'UBSXXLXRPJBLJMSJSPJSTJESJOHKTMVIHWIBBMXBPABOMBOSCDACDICFPCNACSUCTODJIDBSDBADHADMVDSGDTSDIF' +
  'DIPDURFCAFDPFSCFOBGLSGELGOVHPCHACHOALPGMDCMDFMFAMTBMECMOLNGXNSPNUEPMIPSVPSLPTAPIRRSISBCSBA' +
  'SDPSDRSDASGSSNCSPSSPOSABSAESOBSUATVAAQUAWDAGMEVOEPLIFCUVAUHDUNTCLSWPADVBFMIMPOFEBUMAJAVVOA' +
  'FAFRTTJPMJAPKNRVVDVSIVEGBCNCDLCOBDNIHGHLVSLOVMDTMGANGANRWPMPPMEPPORDCRTVSBMSBOSMTSTFTRTTSV' +
  'TIGEEUIFR'

/** Tokens of o200k_base that contain a symbol beyond ASCII and other signs or spaces, each with `a` behind it. */
export const MERGES_O200K_BASE: string =
  '】【a।\n\na——a»,a »\n\na।\na».a、\na ।\n\na————a♀♀a】【，a】【，】【a★★a».\n\na »,a】\n\na →\n\na」\n\na、「a□□a»\n\na，在a”的' +
  'a，不a။\n\na，这a）、a，但a、\n\na ».a】\na」\na €\n\na】【。a」とa，并a██a，我a ।\na(日a，有a、“a，请a(土a(水a】【。】【a(火a(月a□□□□' +
  'a，以a(金a，也a€™a，他a，而a €\na」「a。在a，是a។\n\na.—a,【a，对a♀♀♀♀a、、a、《a♪\n\na》第a】,【a”、“a，为a.»a ».\n\na！」a)、a，' +
  '从a®,a。「a★★★★a »\na：「a＠おa，你a」，a။\na，【a，如a。」a》、《a°\na？」a.»\n\na»:a」をa ॥\na。【a。据a，将a («a＿色a，大a，就a€\n' +
  '\na».\na€“a（笑a。这a··a。他a»,-a»-a,色a»\na、大a，每a॥\na￣色a↓↓a，可a»،a，共a—\n\na、高a，其a♪\na」のa。」\n\na、おa、新a“三a”고' +
  'a」。a」（a.【a.«a☆☆a“】【a，让a.”—a!»a████a》的a，自a”和a，只a，「a　据a€\na★★★★★a%的a€‰a，中a】【“】【a€¦a、中a，与a，当a，' +
  '无a)।a，要a】【：a，还a”】【a，很a，由a?»a%、a☆\n\na。而a(笑a“四a，更a、】【a」はa”、a।’a】【、】【a«,a»:\n\na♀♀♀♀♀♀a，则a，即a.§a' +
  '」、「a，该a，她a)의a®.a，那a）」a€¦\n\na॥\n\na、市a，全a，本a，到a，高a、有a】：a—\na।’\n\na (£a“不a €.a"고a，总a」がa】.【a¡¡a、不a' +
  '，加a，此a、『a।”\n\na，说a °\na”—a ॥\n\na（日a？」\n\na（二a»)a，用a，上a，再a („a、水a。、a“大a　在a。从a，各a（土a。但a€¢a ██a —\n' +
  'a”为a，被a।”a，于a，小a 】\n\na”等a)을a，占a，新a)를a、自a ——a。我a។\na)는a！」\n\na —\n\na)—a®\n\na」にa €/a(图a）はa，相a，多a€.' +
  'a。不a，好a,—a°,a、とa」、a）のa，把a、小a】:a　第a)에a)이a、本a》中a।।a，比a》等a，又a)가a，都a▬▬a”며a°\n\na“小a、ごa、电a。当a、美a，' +
  '同a/月a€/a、、、a €,a §§a↓\n\na）的a】【”】【a★\n\na€,a。有a，第a】，a，使a€”a，人a，它a」。\n\na，仅a“双a“两a」でa，经a》和a（三a☆\na' +
  ')은a、生a（金a°.a、更a，下a，道a’을a、公a (€a♀♀♀a，看a、省a。本a，两a，据a_色a、西a“五a、多a？」\na!【a、人a　二a）がa：【a ។\n\na​—a（' +
  '月a，引a▄▄a...»a’를a，却a,»a。同a、防a’।a.«\n\na：約a ♥\n\na。如a，应a（水a →\na।।\na，美a (§a♡\n\na。」\na】【。】\n\na«.a、第a】' +
  '!【a「あa、副a，会a　本a　三a】-a'

/** Tokens of cl100k_base that contain a symbol beyond ASCII and other signs or spaces, each with `a` behind it. */
export const MERGES_CL100K_BASE: string =
  '——a————a »\n\na】【a██a、\n\na—\n\na →\n\na」\n\na.—a、「a，请a♀♀a】\n\na€™a★★a████a (£a ██a」「a··a»,a»\n\na”—a —\n' +
  '\na §§a）、a »,a"—a♪\n\na。「a」とa®,a)—a».a！」a ├──a.§a、、a♀♀♀♀a ».a€“a？」a，并a（笑a】,a、“a █████a—"a，则a,' +
  '—a，在a”的a】,【a'

// End of the written tables.
