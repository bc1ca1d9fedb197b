// Texts on which tokenizers disagree. Tests only.

const TRAPS: Readonly<Record<string, string>> = {
  empty: '',
  space: ' ',
  spaces: '   leading, trailing and    inside   ',
  lines: 'one\r\ntwo\n\nthree\rfour\r\n\r\n  five\n \n\t\n',
  tabs: '\tif (a)\t{\n\t\treturn\t1\n\t}\n',
  contractions: "I'M I'm don't WE'VE we'll 'S's ''s it’s O'Reilly 'tis y'all'd've",
  numbers: '1 12 123 1234 12345 3.14159 1,000,000 2026-11-18 ½ ² Ⅷ ٣٤٥ १२३ 0x1F 1e-9',
  combining: 'e\u0301 \u00e9 n\u0303o A\u030a \u212b ﬁ ﬀ \u0301 x\u0301\u0302\u0303\u0304 \u1100\u1161\u11a8 \uac01',
  emoji: '👩‍👩‍👧‍👦 👍🏽 🏳️‍🌈 🇩🇪🇫🇷 ❤️ ☺️ 🫠 x👨‍💻y',
  arabic: 'السلام عليكم ورحمة الله وبركاته، كَتَبَ مُحَمَّدٌ ١٢٣',
  hebrew: 'שָׁלוֹם עולם',
  chinese: '我喜欢吃苹果。北京是中华人民共和国的首都，2024年人口2100万。「你好」！',
  japanese: '吾輩は猫である。名前はまだ無い。カタカナとひらがな、漢字ー。',
  korean: '안녕하세요 세계! 한국어 토큰화',
  thai: 'ภาษาไทยไม่มีช่องว่างระหว่างคำ กำลังทดสอบ',
  hindi: 'हिन्दी में लिखा हुआ पाठ क्षत्रिय ज्ञान',
  russian: 'Съешь же ещё этих мягких французских булок, да выпей чаю. СССР',
  code: 'for (let i = 0; i < n; i += 1) {\n    if (a[i] !== b[i]) return `x${i}`; // no\n}\n\n\ndef f(x: int) -> int:\n    return x**2\n',
  camel: 'XMLHttpRequest getElementById HTTPServer iPhone McDonald ǅungla ʰa SCREAMING_SNAKE',
  markup: '<table><tr><td>&nbsp;</td></tr></table> <!-- x --> </s> <s> [INST] <<SYS>>',
  special:
    'a<|endoftext|>b <|im_start|>user\nhi<|im_end|> <|begin_of_text|><|eot_id|><bos><eos><unk><s></s><pad>▁<｜begin▁of▁sentence｜><think></think> <|endoftext',
  marks: '▁a▁▁b ▁ ▁▁▁ Ġa Ċ <0x41> <0xFF>',
  controls: 'a\0b\u0001\u007f\u0080\u0085x\u00a0y\u200bz\u2028w\u2029v\ufeffu\u3000t\u00ad',
  surrogates: 'a\ud800b\udc00c\ud83dd',
  urls: 'https://example.org/a/b?c=d&e=%20f#g user@example.org C:\\Users\\x\\y.txt ../../z',
  punctuation: '!!!???...,,,;;;---___***===/// (a)[b]{c}"d"\'e\' «f» “g” ‘h’ …—– $1 €2 £3 + ± ≠ ∑',
  prose:
    'The quick brown fox jumps over the lazy dog. In 1969, two men walked on the Moon; a third stayed in orbit. Tokenization, unfortunately, is not as simple as splitting on whitespace!',
}

const LONG: Readonly<Record<string, string>> = {
  letters: 'a'.repeat(3_000),
  'long spaces': `x${' '.repeat(2_000)}y${'\n'.repeat(500)}`,
  dashes: '-'.repeat(1_500),
  'chinese run': '中文'.repeat(600),
  capitals: 'ABC'.repeat(500),
}

/** Letters, marks and symbols from all over Unicode that were assigned before version 13: libraries differ in newer ones. */
const BLOCKS: readonly (readonly [first: number, last: number])[] = [
  [0x20, 0x24f],
  [0x370, 0x3ff],
  [0x400, 0x52f],
  [0x531, 0x556],
  [0x5d0, 0x5ea],
  [0x620, 0x65f],
  [0x904, 0x939],
  [0xe01, 0xe3a],
  [0x10a0, 0x10c5],
  [0x1200, 0x1248],
  [0x1e00, 0x1fff],
  [0x2010, 0x2060],
  [0x20a0, 0x20bf],
  [0x2100, 0x218b],
  [0x2190, 0x23ff],
  [0x2500, 0x27bf],
  [0x3041, 0x3096],
  [0x30a0, 0x30ff],
  [0x3400, 0x4db5],
  [0x4e00, 0x9fa5],
  [0xa000, 0xa48c],
  [0xac00, 0xd7a3],
  [0xe000, 0xf8ff],
  [0xf900, 0xfa6d],
  [0xfb00, 0xfb06],
  [0xff01, 0xff5e],
  [0x10000, 0x1000b],
  [0x10330, 0x1034a],
  [0x12000, 0x12399],
  [0x1d400, 0x1d454],
  [0x1f300, 0x1f64f],
  [0x20000, 0x2a6d6],
  [0x2f800, 0x2fa1d],
  [0xe0020, 0xe007f],
  [0xf0000, 0xffffd],
  [0x100000, 0x10fffd],
]

/** Code points of every block in a seeded order, with spaces between some. */
function planes(seed: number, length: number): string {
  let state = seed
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  return Array.from({ length }, () => {
    const [first, last] = BLOCKS[random(BLOCKS.length)] ?? [0x20, 0x7e]
    return `${String.fromCodePoint(first + random(last - first + 1))}${random(6) === 0 ? ' ' : ''}`
  }).join('')
}

/** By name. Nothing here was assigned after Unicode 13. */
export const hostileTexts = (): ReadonlyMap<string, string> =>
  new Map([
    ...Object.entries(TRAPS),
    ...Object.entries(LONG),
    ...Array.from({ length: 8 }, (_, i): [string, string] => [`planes ${i}`, planes(i + 1, 400)]),
    ['everything', Object.values(TRAPS).join('\n')],
  ])
