import { visitWords, deriveTerms, type ReadingScope } from '../analysis/terms.ts'

/** Technical synonyms, British and American spellings, abbreviations; `;` ends a group. */
const ENGLISH = `
  abort cancel close disconnect; animate animation transition; anonymize redact hide mask; avoid prevent;
  bigger larger exceed maximum; common shared share reuse; cron schedule; disable off deactivate opt;
  drop discard ignore; enlarge raise increase; evict invalidate purge expire; fallback default; forbid prevent disallow;
  hover mouseover; label tag category; language locale i18n; log print; many multiple several;
  offline disconnected; post submit send; private secret; protect secure guard; reload refresh rerun invalidate; restart rerun;
  stale outdated invalidate; subdirectory subfolder; throw raise; trace telemetry instrument; wait await;
  accessibility a11y aria; accurate precise accuracy; add insert append; admin administrator; advantage benefit; agenda schedule;
  aggregate group; allergy allergen; allocate malloc; allow permit enable; allowlist whitelist; amount quantity;
  analyze analyse analysis; answer response reply; app application program; appraisal review evaluation; approve consent;
  architecture design; artifact artefact; arugula rocket rucola; ascending asc; assert expect; assign allocate;
  async asynchronous; attribute attr property; audio sound; auth authentication authenticate login signin credential;
  auth authentication authn; auth authorization authorisation authz; authorization permission privilege access rbac;
  autocomplete typeahead; automatic automate auto; average avg mean; axis axes; backend server; background bg;
  backup snapshot dump; bandwidth throughput; batch bulk; behavior behaviour; benchmark perf; benefit perk; bill invoice;
  bonus incentive; bool boolean; boot startup bootstrap; breach leak; browser chrome; browser client; budget finance;
  bug defect issue; button btn; button click; buy purchase procurement; cache memoize; calculate compute; call invoke invocation;
  callback hook handler; cancel abort interrupt; candidate applicant; capability ability; capitalize capitalise uppercase;
  captcha recaptcha; cast convert coerce coercion; catalog catalogue; catch rescue handle except; categorize categorise;
  cellphone mobile phone; celsius centigrade; center centre; cert certificate x509; change modify edit alter update;
  char character; charset encoding; chart graph plot; cheap inexpensive; checkbox tick; checksum crc fingerprint;
  chickpea garbanzo; child children nested inner; child descendant; chili chilli chile; choose select pick; chop dice mince cut;
  cilantro coriander; cite reference citation; clear reset wipe; cli terminal console shell; color colour; column field;
  command cli; commit revision; company business; compatible interoperability; compliance regulation regulatory;
  component widget; compress gzip; concat concatenate append; concise brief; concurrent concurrency parallel simultaneous;
  condition conditional; config configuration conf cfg;
  config configuration configure setting settings option options preference; conflict collision clash; const constant;
  constructor ctor; container docker podman; contract agreement; convert conversion transform; cook bake; cookie biscuit;
  copy duplicate clone; cornstarch cornflour; coroutine fiber fibre; corrupt damaged; cost price expense; count number amount;
  coverage cov; coworker colleague teammate; cpp c++; cpu processor; crash panic abort segfault; crate gem package;
  crawl crawler scrape spider; create make generate produce build; csharp c#; csrf xsrf; css style stylesheet;
  customize customise; dangerous unsafe insecure; dataset corpus; db database; dbms rdbms database; deadlock hang;
  deallocate free; decompress unzip extract unpack; decorator annotation; decrypt decipher; deduplicate dedupe; defense defence;
  define declare; definition meaning; delete remove erase drop purge; delimiter separator; deny reject refuse ban;
  denylist blacklist blocklist; department division; dependency package library module; deploy deployment rollout;
  deprecated obsolete legacy; descending desc; deserialize deserialise unmarshal; destroy dispose teardown; detect discover;
  development dev; dialog dialogue; diet nutrition; diff difference; difference distinction; dinner supper;
  disability accessibility; disable deactivate; disadvantage drawback downside; discipline disciplinary misconduct;
  discontinue retire decommission sunset; discount coupon; disk storage filesystem volume; diversity inclusion dei;
  dns nameserver; doc docs documentation manual; doc document; domain dns; dotnet .net; downgrade rollback;
  download fetch get retrieve; dropdown select combobox; efficient performant; eggplant aubergine; elastic elasticsearch;
  email mail; employee staff coworker colleague; employee staff worker; empty blank; enable activate;
  encrypt encryption tls ssl cipher secure; encryption cipher crypto cryptography; endpoint route api; ensure guarantee;
  enum enumeration; env environment; equal equality compare comparison; error failure fail exception fault crash problem;
  evaluate eval; event listener handler; evict invalidate; example sample demo snippet; excel xlsx spreadsheet;
  exclude omit ignore; executable binary exe; exit quit close; expensive costly; experimental beta preview;
  expire expiration ttl timeout; expire expiry ttl; explain describe description explanation; export dump; export save;
  failover switchover; fast quick quickly speed performance efficient; favorite favourite bookmark; feature functionality;
  file document; filesystem fs; filter select; finish complete; fired terminated dismissal; firewall iptables;
  first initial; fix repair resolve solve; flaky intermittent; flavor flavour; float double; folder directory dir;
  font typeface typography; forbid deny block disable reject refuse prevent; forbid prohibit disallow deny; foreground fg;
  forgot forgotten; formatter prettier beautify; fridge refrigerator; frontend client; fry saute sauté; func function fn;
  func function method callback; fuzz fuzzer; garbage rubbish trash; gc garbage; geolocation gps location;
  get fetch retrieve obtain; glossary terminology; go golang; goal okr; gpu cuda graphics; graph chart dashboard; graphql gql;
  gray grey; grill barbecue bbq; group team; guideline convention; hacker attacker; harassment bullying discrimination;
  hardening secure; hash digest; heading title; healthcheck probe liveness; heartbeat keepalive; helper util; hex hexadecimal;
  hide hidden invisible conceal; hint tooltip; hire recruit; homebrew brew; hotel accommodation lodging;
  hotkey shortcut accelerator keybinding; hover mouseover; htm html; https tls; i18n internationalization internationalisation;
  i18n l10n translation; icon glyph; immutable readonly frozen; import load; increase grow; index idx indices; inherit extend;
  init initialize initialise; input form field; inspect examine; install setup; instantiate construct; int integer;
  interface trait; introduction intro overview; invalid malformed incorrect; ios iphone; jpeg jpg; js javascript ecmascript;
  k8s kubernetes; key identifier id; keychain keystore keyring vault; kill terminate sigkill sigterm; kilometer kilometre km;
  kpi metric; l10n localization localisation; labor labour; language lang; laptop computer; large big huge; last final latest;
  latest newest recent; latitude lat; lawyer attorney legal counsel; layoff redundancy; lb balancer loadbalancer;
  leadership ceo; leak leakage; len length; library lib; license licence; limit maximum max quota cap restrict throttle;
  limit restrict constrain; link url uri hyperlink; lint linter; list array collection; liter litre; llm gpt; local localhost;
  locale language; log logger; log logging; login signin logon; logout signout logoff; longitude lng lon; loop iterate foreach;
  loop iterate iteration; lost stolen theft; mac macos osx; make build compile; malware virus; manager supervisor boss;
  manual guide handbook documentation; map dictionary hashmap dict; map dictionary object record; margin padding spacing;
  marinate marinade; matrix matrices; maximize maximise; md markdown; meeting appointment; meeting call; member property;
  memory ram heap; merge combine join; meter metre; method procedure routine function; metric metrics statistic statistics stats;
  mfa 2fa totp otp; microphone mic; middleware interceptor; min minimum least; minify uglify; minimize minimise;
  mix stir combine; mobile phone smartphone; mock stub fake; money budget; mongo mongodb; monitor monitoring observe;
  monitor observability; move relocate transfer; mutex lock latch; mysql mariadb; navigation nav navbar menu;
  nda confidentiality; necessary required mandatory compulsory; neighbor neighbour; network internet connection; networking net;
  new latest recent; newcomer beginner novice; newline linebreak eol; node nodejs node.js; node server host machine;
  noodle pasta; normalize normalise; notification notify alert message; null nil none undefined; number numeric integer;
  number numeric num; oauth oauth2 oidc openid; offline disconnected; old previous former; onboard orientation induction;
  oncall pager; oom memory; opacity transparent alpha; opensource oss; optimize optimise; optional nullable;
  organization organisation org; outage downtime incident; outlier anomaly; oven bake roast; override overwrite;
  owner maintainer; page site website; pan skillet; param parameter argument arg; parameterize parameterise;
  parent ancestor outer; parse parser; password passphrase passwd; password secret passphrase credential; patch hotfix fix;
  pause suspend; payload body; payment pay; payroll salary; pension retirement 401k; pentest penetration; percentile quantile;
  performance perf throughput; permission access acl; persistence durable; personalize personalise; phishing scam;
  phone mobile device; picture image photo icon; picture image photo img; pid process; pii gdpr privacy; pitfall gotcha caveat;
  plugin extension addon; policy rule guideline; polyfill shim; popup dialog modal; postgres postgresql psql pg;
  postmortem retrospective; pot saucepan; prepend unshift; prerequisite requirement; previous former prior;
  primary master leader; prioritize prioritise; problem issue trouble; producer publisher; production prod; program programme;
  promise future deferred; protobuf proto; prototype mockup; publish release deploy ship distribute distribution;
  purge prune cleanup; py python; quickstart tutorial; quiet silent suppress; random rand rng; randomize randomise shuffle;
  ranking score; rb ruby; reason cause rationale; receive get; recipe dish; recognize recognise; recommended preferred;
  recurring periodic; reduce decrease lower; ref reference; refund reimbursement; regex pattern; regex regexp; reimburse expense;
  reload refresh; remote external; render display draw paint; replace substitute swap; replica follower slave secondary standby;
  replication mirror; repo repository; request req; require need; resign quit; resize scale; response resp reply; restart reboot;
  restore recover recovery; restriction limitation constraint; retention retain; retrospective retro; retry reattempt backoff;
  revenue income; robot bot; role rbac permission; rollback revert undo; root superuser sudo; router routing; rpc grpc; rs rust;
  rss feed; rst restructuredtext; run execute exec; safe safety secure security; salary pay compensation wage; sandbox isolation;
  sanitize sanitise escape; save store persist; scaffold boilerplate template; scalability autoscale scale; schedule cron;
  screen monitor display; sdk library; search find lookup query; seasoning spice; section chapter; semver versioning;
  send transmit; serialize serialise marshal; shard partition; show display view render visible; shrimp prawn; shrink reduce;
  shutdown stop poweroff; signup register registration enroll; similar alike; simmer boil stew; size length; skill competency;
  slide presentation powerpoint; slo sla; slow latency bottleneck; slow latency delay lag; small tiny little; smtp mail;
  sort order ordering; spec specification; speedup optimize; split divide separate; sso saml; stacktrace traceback backtrace;
  stale outdated obsolete; standardize standardise; start launch begin boot startup; stddev deviation; step stage phase;
  stock broth; stop halt terminate kill quit exit shutdown end; str string; string text; stuck hang freeze unresponsive;
  subclass derived inherit; subnet cidr; subscribe listen; subscription billing; substring slice; success succeed;
  suffix postfix; suggest recommend; sum total; summarize summarise summary; summary overview synopsis; superclass parent base;
  support helpdesk assistance; survey questionnaire poll; sync synchronize synchronise; systemd systemctl; tablet ipad;
  taste flavor; tax vat; tbsp tablespoon; telecommute wfh remote; telemetry metric observability; temp temporary tmp;
  tenant multitenant; test spec; test testing; textbox textarea input; thaw defrost; thread multithreaded; thread threads;
  throttle ratelimit; ticket issue; timeout deadline; timer interval; timestamp datetime; timezone tz;
  toast snackbar notification; todo task; toggle switch; tokenize tokenise; tradeoff compromise; trash recycle; travel trip;
  troubleshoot diagnose debug; truncate trim shorten; ts typescript; tsp teaspoon; tutorial walkthrough guide; type datatype;
  type types typing; typo misspell; unavailable unreachable; unicode utf8 utf-8; uninstall remove; unique distinct;
  unmount destroy; upgrade update migrate migration; upload send push; upsert merge; urgent critical emergency; usage use;
  user account; username login; uuid guid; vacation holiday leave pto; vacuum autovacuum; validate verify check; var variable;
  vegetable veggie; vegetarian vegan; vendor supplier; version release; video movie; virtualenv venv;
  virtualization virtualisation; visitor guest; visualize visualise; vm hypervisor; vm virtual; vulnerability exploit cve;
  warning alert caution; webcam camera; webpage page; website site web; websocket ws; whisk beat; whitespace space;
  wifi wireless wlan; workaround hack mitigation; workflow pipeline; workplace office; yml yaml; yogurt yoghurt; zoom magnify;
  zucchini courgette
`

type Synonyms = ReadonlyMap<string, readonly string[]>

const synonyms: { [Scope in ReadingScope]?: Synonyms } = {}

/** Returns the synonyms of a term in technical texts. */
export function listSynonyms(term: string, scope: ReadingScope): readonly string[] {
  synonyms[scope] ??= readGroups([ENGLISH, JAPANESE, CHINESE], scope)
  return synonyms[scope].get(term) ?? []
}

function readGroups(texts: readonly string[], scope: ReadingScope): Synonyms {
  const found = new Map<string, Set<string>>()
  for (const group of texts.flatMap((text) => text.split(';'))) {
    const terms = group.split(/\s+/).flatMap((word) => readSingleTerm(word, scope) ?? [])
    for (const term of terms) {
      const others = found.get(term) ?? new Set()
      for (const other of terms) if (other !== term) others.add(other)
      found.set(term, others)
    }
  }
  return new Map([...found].map(([term, others]) => [term, [...others]]))
}

/** Returns the term of a word if it has exactly one. */
function readSingleTerm(text: string, scope: ReadingScope): string | undefined {
  const found: string[] = []
  visitWords(text, (word) => {
    const terms = deriveTerms(word, scope)
    const wholes = terms.filter(({ role }) => role === 'whole')
    const best = wholes.length > 0 ? wholes : terms.filter(({ role }) => role === 'part')
    found.push(...best.map((term) => term.text))
  })
  return found.length === 1 ? found[0] : undefined
}

/** Technical synonyms with English words that Japanese texts use; `;` ends a group. */
const JAPANESE = `
  はじめに 入門 概要; アクセシビリティ a11y; アップグレード 更新 upgrade; アップロード upload; アンインストール 削除;
  イベント event; インスタンス オブジェクト 実体; インストール 導入 install; インターフェース インターフェイス interface;
  インデックス 索引 index; エラー 例外 不具合 error; オブジェクト object; キャッシュ cache; クエリ クエリー 問い合わせ query;
  クラス class; クラスタ クラスター cluster; クリック 押下 click; コピー 複製 複写; コンテナ コンテナー container;
  コンパイル compile ビルド; コンポーネント component; コールバック callback; サーバー サーバ server; スロット slot;
  セキュリティ 安全 security; ダイアログ モーダル ポップアップ dialog; ダウンロード download; チェック 検査 確認;
  テンプレート 雛形 template; ディスク ストレージ storage; ディレクティブ directive; デッドロック フリーズ ハング;
  デバッグ debug; デプロイ 配備 公開 deploy; データベース db database; ドキュメント 文書 資料; ネットワーク 通信 network;
  バグ 不具合 欠陥 bug; バックアップ 退避 backup; バージョン 版 version; パス path; パスワード 暗証 password; パッケージ package;
  ビルド 構築 build; ファイル file; フィールド 項目 field; フォルダ フォルダー ディレクトリ directory; フォーム 入力欄 form;
  フック hook; ブラウザ ブラウザー browser; プラグイン 拡張 アドオン plugin; プロパティ props 属性 property; ボタン button;
  マージ 統合 併合 merge; メソッド 関数 method; メッセージ message; メモリ メモリー memory; モジュール module;
  モック スタブ mock; ユーザー ユーザ 利用者 user; ライフサイクル lifecycle; リスナー ハンドラ ハンドラー handler;
  リポジトリ レポジトリ repository; リリース 公開 release; ルーティング ルーター ルート router; レスポンシブ responsive;
  ログアウト サインアウト; ログイン サインイン login; ロールバック 巻き戻し 取り消し; 並べ替え ソート 整列 sort; 並行 並列 同時;
  主キー プライマリキー; 乱数 ランダム random; 互換性 互換 compatibility; 仮想マシン vm; 件数 個数 数; 任意 オプション optional;
  休暇 休み 有給; 会議 ミーティング 打ち合わせ; 作成 生成 新規; 使い方 使用方法 利用方法; 使用 利用 活用;
  例 サンプル 使用例 example; 依存 依存関係 dependency; 保存 セーブ 格納 save; 修正 修復 直す; 入力 インプット input;
  入門 チュートリアル 初心者; 全体 グローバル global; 再起動 リスタート 再始動; 出力 アウトプット output; 分割 スプリット split;
  切断 オフライン; 列 カラム column; 初期化 イニシャライズ init; 制限 上限 制約; 削除 消去 除去 delete;
  単体テスト ユニットテスト; 取り消し キャンセル 中止; 取得 フェッチ fetch; 受信 receive; 合計 総計 集計; 同期 sync;
  名前空間 ネームスペース namespace; 問題 課題 トラブル; 国際化 i18n 多言語; 型 タイプ type; 変換 コンバート 転換; 変数 variable;
  外部キー foreignkey; 子 child; 定数 constant; 宣言 定義; 局所 ローカル local; 属性 アトリビュート attribute;
  引数 パラメータ パラメーター parameter; 復元 リストア 復旧; 必須 必要 required; 応答 レスポンス 返答 response;
  戻り値 返り値 返却値; 排他 ロック lock; 接続 コネクション connection; 推奨 おすすめ ベストプラクティス; 整数 integer;
  文字列 ストリング string; 料金 価格 費用; 既定 デフォルト 初期値 default; 日付 日時 日程; 時間切れ タイムアウト timeout;
  暗号化 暗号 encryption; 更新 変更 アップデート update; 書式 フォーマット 形式 format; 最大 上限 max; 最小 下限 min;
  最適化 チューニング optimize; 有効 オン enable; 期限 有効期限 タイムアウト; 条件 条件分岐 分岐; 検索 探索 サーチ search;
  検証 バリデーション validation; 概要 紹介 要約; 権限 許可 パーミッション permission; 比較 違い 差分; 注意 警告 留意;
  無効 オフ disable; 状態 ステート state; 環境 env; 用語 用語集 語彙; 画像 イメージ 写真 image; 画面 ページ ビュー;
  登録 サインアップ 申し込み; 監視 モニタリング monitoring; 真偽値 ブール boolean; 社員 従業員 スタッフ; 禁止 拒否 ブロック;
  移行 マイグレーション migration; 空 空白 ブランク; 競合 衝突 コンフリクト; 算出 計算 computed; 管理者 アドミン admin;
  終了 停止 ストップ; 結合 ジョイン join; 絞り込み フィルタ フィルター filter; 給与 給料 賃金; 継承 派生 拡張;
  繰り返し ループ 反復 loop; 置換 置き換え replace; 翻訳 ローカライズ 地域化; 脆弱性 セキュリティホール; 行 レコード row;
  表 テーブル table; 表示 描画 レンダリング render; 複製 レプリケーション レプリカ; 要求 リクエスト request;
  要素 エレメント element; 親 parent; 解析 パース 分析 parse; 設定 コンフィグ 構成 config; 証明書 certificate;
  認可 権限 authorization; 認証 ログイン auth authentication; 読み込み ロード load; 警告 ワーニング warning; 転送 リダイレクト;
  追加 挿入 add; 通知 お知らせ アラート; 速度 性能 パフォーマンス performance; 連想配列 辞書 マップ ハッシュ; 遅い 遅延 低速;
  配列 アレイ リスト array; 配置 レイアウト layout; 開始 起動 スタート start; 関数 ファンクション function; 障害 故障 トラブル;
  非同期 async; 非推奨 廃止 deprecated; 非表示 隠す hidden; 順序 順番 並び; 高速 速い 迅速
`

/** Technical synonyms with English words that Chinese texts use; `;` ends a group. */
const CHINESE = `
  主库 主节点 主服务器; 事件 event; 从库 副本 从节点 replica; 仓库 代码库 repository; 优化 调优 optimize; 会议 开会;
  依赖 dependency; 保存 存储 save; 修改 更改 编辑 变更; 假期 休假 请假; 停止 关闭 结束 stop; 允许 许可 allow; 入门 快速开始 教程;
  兼容 兼容性 compatible; 函数 方法 function; 创建 新建 生成 create; 删除 移除 清除 delete; 加载 载入 load; 动画 过渡 animation;
  卡住 卡死 死锁 无响应; 卸载 uninstall; 参数 形参 实参 parameter; 取消 中止 终止; 变量 variable; 同步 sync; 启动 开始 start;
  启用 开启 enable; 员工 职员 雇员; 响应 应答 response; 回滚 撤销 撤消 rollback; 回调 callback; 国际化 i18n 多语言;
  图片 图像 image; 备份 快照 backup; 复制 拷贝 copy; 字典 映射 哈希表 map; 字段 列 field; 字符串 文本 string; 客户端 client;
  容器 container; 密码 口令 password; 对象 实例 object; 属性 props property; 崩溃 闪退 crash; 工资 薪资 薪水;
  布尔 布尔值 boolean; 布局 layout; 常量 常数 constant; 并发 并行 concurrent; 序列化 serialize; 库 类库 library; 延迟 慢 卡顿;
  异步 async; 弃用 废弃 deprecated; 弹窗 对话框 弹出框 模态框; 循环 遍历 迭代 loop; 性能 速度 效率 performance;
  恢复 还原 restore; 指令 directive; 接口 interface api; 插件 扩展 plugin; 搜索 查找 检索 search; 数据库 db database;
  数组 列表 array; 文档 手册; 日志 log; 更新 升级 update; 替换 更换 replace; 服务器 服务端 server; 本地化 翻译;
  权限 授权 permission; 构建 编译 打包 build; 查询 检索 query; 样式 style css; 测试 test; 浮点数 小数 float; 添加 增加 新增 add;
  渲染 显示 展示 render; 漏洞 脆弱性 安全漏洞; 点击 单击 click; 状态 state; 环境 env; 用户 账户 账号 user; 用法 使用 使用方法;
  登录 登陆 login; 监听 侦听 监听器; 监控 监视 monitor; 目录 文件夹 directory; 磁盘 硬盘 存储; 示例 例子 样例 example;
  禁止 拒绝 屏蔽; 禁用 停用 disable; 索引 index; 线程 thread; 组件 component; 继承 派生 扩展; 缓存 cache; 缺陷 漏洞 bug;
  获取 取得 读取 get; 虚拟机 vm; 警告 告警 warning; 认证 身份验证 鉴权 auth; 记录 行 record; 请求 request; 超时 过期 timeout;
  路由 router; 转换 转化 convert; 过滤 筛选 filter; 运行 执行 run; 返回值 返回 return; 通知 消息 提醒; 部署 发布 deploy;
  配置 设置 设定 config; 重启 重新启动 restart; 钩子 hook; 错误 异常 报错 error; 限制 约束 上限; 验证 校验 检验 validate;
  默认 缺省 默认值 default
`
