// Words that generated text is made of, by language and in order of frequency: real function words, then stems with the endings of the language. The
// forms need not be in a dictionary, but byte-pair encoding cuts them as it cuts real words, and rules for stop words and language see the real ones.

type WordParts = {
  readonly common: string
  readonly stems: string
  readonly beginnings: string
  readonly endings: string
}

const ENGLISH: WordParts = {
  common:
    'the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years where much your way down should because long each just state those people too mr how little good world make very year still see own work men day get here between both life being under three never know same last another while us might great go come since against right came take used himself few house use during without again place around however home small found part school every don does got united left number course war until always away something fact water less public put think almost hand enough far took head yet government system better set told nothing night end why called didn eyes find going look asked later knew',
  stems:
    'account act add advance age agree air allow answer appear apply area argue arm arrive art attack band bank bar base bear beat bed begin bell bend bill bind bird bite block blow board boat body boil bond book border born bottle bound bow box branch brand bread break breath bridge bright bring broad brother brown brush build burn bus business buy cake camp captain car card care carry case cast catch cattle cause cell center chain chair chance change charge chart check chief child choice church circle city claim class clean clear clerk clever climb clock close cloth cloud club coal coast coat cold collar colony color column comfort command common compare complete concern condition connect consider contain control cook cool copper copy corn corner correct cost cotton count country couple courage cover craft cream credit crop cross crowd crown cruel cry culture cup current curtain custom cut damage dance danger dark date daughter deal debt decide declare deep defend degree deliver demand depend describe desert design desire detail develop device differ dinner direct discover discuss disease distance divide doctor dollar door doubt drag draw dream dress drink drive drop dry dust duty ear earn earth east edge educate effect effort elect electric employ empty enemy engine enter equal escape event exact example exchange exercise expect explain express extend face factor fail fair faith fall family famous farm fashion fast father favor fear feather feed feel female field fight figure file fill film final finger finish fire fish fit fix flag flame flat flight float flood floor flow flower fold follow food foot force foreign forest forget form fortune frame free freeze fresh friend front fruit full fur gain game garden gas gate gather general gentle gift girl give glass gold govern grain grant grass gray green ground group grow guard guess guest guide gun habit hair hall hammer handle hang happen happy harbor hard harm harvest hat heal hear heart heat heaven heavy height help hill history hit hold hole honor hope horse hospital host hotel hour human hunger hunt hurry hurt ice idea image improve inch include income increase industry influence inform insect instrument interest invent iron island issue join joint joke journey judge juice jump keep key kick kind king kiss kitchen knife knot labor lack lady lake lamp land language large laugh launch law lead leaf learn leather legal lend lesson letter level library lie lift light limit line link lip liquid list listen load loan local lock lodge log loss loud love lower luck lunch machine mail main manage map march mark market marry mass master match matter meal mean measure meat medical meet melt member memory mention merchant metal method middle mile military milk mill mind mine minister minute mirror miss mix model modern moment money month moon moral morning mother motion motor mountain mouth move murder muscle music name narrow nation nature near neck need nerve nest net noise normal north nose note notice obey object observe ocean offer office oil open operate opinion oppose order organ origin pack page pain paint pair palace paper parent park party pass past path patient pattern pay peace pen pencil perfect perform period permit person phone picture piece pilot pin pipe pity plain plan plane plant plate play please plenty plow point poison police policy polish poor popular port position possess post pot pound pour powder power practice praise prepare present press pretty prevent price pride print prison private prize problem process produce profit program promise proof proper protect prove provide pull pump punish pure purpose push quality quarter queen question quick quiet race radio rail rain raise range rank rapid rate raw reach read ready real reason receive record red reduce refer reflect refuse regard region regret regular relate release relief remain remark remember remind remove rent repair repeat replace report represent request rescue respect rest result return reveal reward rhythm rice rich ride ring ripe rise risk river road rob rock roll roof room root rope rough round row royal rub rubber rule run rush sacred sad safe sail salary salt sand satisfy save scale scene science score screen sea search season seat second secret seed seem select sell send sense separate serve settle shade shake shape share sharp sheet shelf shell shelter shine ship shirt shock shoe shoot shop shore short shoulder shout show shut sick side sign signal silence silk silver simple sing sink sister site skill skin skirt sky sleep slide slip slope slow smell smile smoke smooth snake snow soap social soft soil soldier solid solve song sort soul sound soup south space spare speak special speed spell spend spirit split sport spot spread spring square staff stage stamp stand star start station stay steam steel stem step stick stiff stomach stone stop store storm story strange stream street stretch strike string strip strong structure study stuff style subject succeed sudden sugar suggest suit summer sun supper supply support suppose surface surprise surround swear sweat sweep sweet swell swim swing sword table tail talk tall taste tax tea teach team tear temper temple tend tent term test thank theater theory thick thin thirst thread threat throat throw thunder ticket tide tie tight timber tin tip tire title tobacco tongue tool tooth top total touch tour tower town track trade train translate transport trap travel treasure treat tree tribe trick trip trouble truck true trunk trust truth tube tune turn twist type uncle union unit upper valley value vapor variety vast vessel victory view village violent virtue visit voice volume vote voyage wage wait wake walk wall wander want warm warn wash waste watch wave weak wealth weapon wear weather weave weed week weigh welcome west wet wheat wheel whip whisper white wide wife wild win wind window wine wing winter wire wise wish witness wonder wood wool word worry worse worth wound wrap wreck write wrong yard yellow yield young zero',
  beginnings: ' re un over out under non inter counter semi',
  endings:
    ' s ed ing er ers able ment ments ness ful less ly ish ship hood ward like wise proof land man men work works way side time house line stone field',
}

const GERMAN: WordParts = {
  common:
    'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde sei schon wenn ihre seine diese alle können dieser ihr mich wir du ich uns unter gegen vom kann weil wo ohne wieder sehr hier doch dann immer jetzt',
  stems:
    'arbeit bau berg bild blatt boden brief brücke burg dach dorf ecke eisen erde fach fahr feld fenster feuer fisch fluss frage frei freund garten gast geist geld glas gold grund gut hand haus heft herz himmel holz jahr jung kalt kind kirche klar kopf kraft kraut kunst land lauf leben lehr leicht licht lied luft macht markt meer mensch mittel mond mut nacht nord ort platz punkt rat raum recht regen reich reihe reise ring ruf saal sache salz schein schiff schlag schloss schnell schrift schule see seite sinn spiel sprache staat stadt stand stein stern stimme stoff strasse strom stunde tag tal tat teil tier tisch tor traum tür ufer vater volk wahl wald wand wasser weg wein welt werk wetter wind wort zahl zeit ziel zimmer zug',
  beginnings: ' be er ver ent zer auf aus ein um vor unter über',
  endings:
    ' e en er es ung ungen heit keit lich isch ig bar los schaft tum lein chen haft sam bau werk land stadt berg feld mann frau platz zeit raum weg',
}

const FRENCH: WordParts = {
  common:
    'de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec ou son aux cette mais comme on tout nous sa fait été aussi leur bien peut ces y dont elle si deux même très sans était ont entre faire où après ils encore moins avant cela lui être avoir autre depuis toujours vous je sous fois ainsi jamais chez alors',
  stems:
    'ami amour ancien arbre argent art atelier aven bas beau blanc bois bon bord bras camp champ chant chaud chef chemin cheval clair coeur compte corps côt cour cri dent dire doigt dout droit eau école effet enfant ennui esprit état étoil faible famill femm fer feu fil fill fin fleur foi fond forc forêt fort franc frèr froid front gard gauch génér glac grand gris guerr haut herb heur histoir homm idé île image jardin jour lettr libr lieu lign livr loi long lumièr main maison mal march matin mer mèr monde mont mort mot mur nature noir nom nord nuit oeuvr ombr or ordre pain paix parol pass pays peupl pied pierr plac plaisir pluie point port pouvoir prix quart rang règl rich rivièr rout sable saison sang sens soir sol soleil son sort sud temps terr tête tour train travail vague vent verr vert vie vieux vill vin voix vrai vue',
  beginnings: ' re dé in pré sur sous entre mal contre',
  endings:
    ' e s es er é ée és ement ment tion tions eur eurs euse ique iques able ables age ages isme iste ité ités ance ant ante ière oir ure eux',
}

const SPANISH: WordParts = {
  common:
    'de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya entre cuando todo esta ser son dos también fue había era muy años hasta desde está mi porque qué sólo han yo hay vez puede todos así nos ni parte tiene él uno donde bien tiempo mismo ese ahora cada e vida otro después te otros aunque esa eso hace otra gobierno tan durante siempre día tanto ella tres sí',
  stems:
    'agua alt amig amor ancho ár arte asunt bajo barc bell blanc boc bosc braz buen caball cab caf calle camin camp cant car cas cerc ciel cient ciudad clar coche color cos cuerp cuest cultur dam ded derech dier dios dulc edad ejércit espald esper esposa estrell famili fiest fin flor fond form frent fresc frí fuert fueg gent glori grand grup guerr habl herman hij histori hombr hor huert iglesi ide isl jardín joven jueg larg lech lengu letr ley libr llam llan luch lugar lun luz madr man mañan mar mes mes mir mitad mont muert mujer mund músic nació negr niñ noch nombr nort nuev obr ojo orden padr país palabr pan papel par pas paz pec pensamient perr pie piedr plaz pobr poder pueblo puert punt rat raz rey ric rí roj rop sal sangr semana señor sol son suerte suelo tard tierr tip tod torr trabaj tren vent verd viaj vid viej vient vin vist voz',
  beginnings: ' re des in pre sobre entre ante contra',
  endings:
    ' o a os as ar er ado ada ados adas ando iendo ción ciones mente dad dades ero era eros oso osa ista ismo able ibles aje eza ito ita azo ura ía',
}

const RUSSIAN: WordParts = {
  common:
    'и в не на я что он с как это по но они мы она к у из за от так же его то все для бы вы до ещё или если при уже даже был есть ли только когда мне было во ты нет о их чем тоже себя под где тут нас будет этот была были потом после над через между кто без раз там чтобы теперь том эти который быть может более всегда можно',
  stems:
    'бел берег бог боль брат вер верх вет вид вод войн волн воздух врем город голос голов гор господ гост гроз дал двер двор ден дерев дет дом дорог друг дум дух душ жар жен живот жизн звезд земл зим знак золот игр имен камн книг кон корабл край красн крест кров круг лес лет лиц лоб луг луч люб мал мастер мест мир млад мор мост муж мысл народ неб ног нов ноч образ огн окн остров отц пол пор поэт прав праздник путь работ рад рек реч род рук свет свобод сер сил син слав слов смысл снег соб солнц сон стар степ сторон стран сын тел темн тих товар труд утр уч хлеб ход холод цар цвет час част чел черн чист чувств шаг школ шум язык',
  beginnings: ' за на по при про раз под пере вы до от',
  endings: ' а у ы ом ам ами ах ов ой ый ая ое ые ить ать ал ала али ание ения ность ости ский ская ник ники ница ка ки ство ства',
}

/** Written without spaces: a word is a character or two. */
const CHINESE: WordParts = {
  common:
    '的 一 是 不 了 在 人 有 我 他 这 中 大 来 上 国 个 到 说 们 为 子 和 你 地 出 道 也 时 年 得 就 那 要 下 以 生 会 自 着 去 之 过 家 学 对 可 她 里 后 小 么 心 多 天 而 能 好 都 然 没 日 于 起 还 发 成 事 只 作 当 想 看 文 无 开 手 十 用 主 行 方 又 如 前 所 本 见 经 头 面 公 同 三 已 老 从 动 两 长',
  stems:
    '知 民 样 现 分 将 外 但 身 些 与 高 意 进 把 法 此 实 回 二 理 美 点 月 明 其 种 声 全 工 己 话 儿 者 向 情 部 正 名 定 女 问 力 机 给 等 几 很 业 最 间 新 什 打 便 位 因 重 被 走 电 四 第 门 相 次 东 政 海 口 使 教 西 再 平 真 听 世 气 信 北 少 关 并 内 加 化 由 却 代 军 产 入 先 山 五 太 水 万 市 眼 体 别 处 总 才 场 师 书 比 住 员 九 笑 性 通 目 华 报 立 马 命 张 活 难 神 数 件 安 表 原 车 白 应 路 期 叫 死 常 提 感 金 何 更 反 合 放 做 系 计 或 司 利 受 光 王 果 亲 界 及 今 京 务 制 解 各 任 至 清 物 台 象 记 边 共 风 战 干 接 它 许 八 特 觉 望 直 服 毛 林 题 建 南 度 统 色 字 请 交 爱 让 认 算 论 百 吃 义 科 怎 元 社 术 结 六 功 指 思 非 流 每 青 管 夫 连 远 资 队 跟 带 花 快 条 院 变 联 言 权 往 展 该 领 传 近 留 红 治 决 周 保 达 办 运 武 半 候 七 必 城 父 强 步 完 革 深 区 即 求 品 士 转 量 空 甚 众 技 轻 程 告 江 语 英 基 派 满 式 李 息 写 呢 识 极 令 黄 德 收 脸 钱 党 倒 未 持 取 设 始 版 双 历 越 史 商 千 片 容 研 像 找 友 孩 站 广 改 议 形 委 早 房 音 火 际 则 首 单 据 导 影 失 拿 网 香 似 斯 专 石 若 兵 弟 谁 校 读 志 飞 观 争 究 包 组 造 落 视 济 喜 离 虽 坏 密 格 存 究',
  beginnings: '  ',
  endings: ' 人 学 家 性 化 者 们 力 地 心 年 生 国',
}

const PARTS = { en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH, ru: RUSSIAN, zh: CHINESE } as const satisfies Record<string, WordParts>

export type Language = keyof typeof PARTS
export const LANGUAGES = Object.keys(PARTS) as Language[]

type Vocabulary = {
  /** Function words, by frequency. */
  readonly common: readonly string[]
  /** Stems with their endings: all stems first, then all with the first ending and so on. */
  readonly rare: readonly string[]
}

/** @param most rare words at most */
export function vocabularyOf(language: Language, most: number): Vocabulary {
  const { common, stems, beginnings, endings } = PARTS[language]
  const commonWords = common.split(' ')
  const seen = new Set(commonWords)
  const rare: string[] = []
  for (const beginning of new Set(beginnings.split(' ')))
    for (const ending of endings.split(' '))
      for (const stem of stems.split(' ')) {
        const word = `${beginning}${stem}${ending}`
        if (rare.length >= most) return { common: commonWords, rare }
        if (seen.has(word)) continue
        seen.add(word)
        rare.push(word)
      }
  return { common: commonWords, rare }
}
