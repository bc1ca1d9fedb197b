import { expect, test } from 'vitest'
import { commandsIn, matches } from './readme.ts'

const PAGE = `# Title

\`\`\`text
$ not a command of this page
\`\`\`

\`\`\`console
$ ironlaw get
NAME   STATE
chat   serving

$ ironlaw logs chat
\`\`\`
`

test('commands of console blocks, each with the lines below it', () => {
  expect(commandsIn(PAGE)).toEqual([
    { command: 'ironlaw get', prints: ['NAME   STATE', 'chat   serving'] },
    { command: 'ironlaw logs chat', prints: [] },
  ])
})

test.each<[prints: readonly string[], output: string, isMatch: boolean]>([
  [[], 'anything', true],
  [['step 1 loss ...'], 'starting\nstep 1 loss 0.5\n', true],
  [['step 1 loss ...'], 'starting\nno step 1 loss 0.5\n', false],
  [['NAME STATE', 'chat serving'], 'NAME    STATE\n\nchat    serving\n', true],
  [['NAME STATE', 'chat serving'], 'NAME    STATE\nother   serving\nchat    serving\n', false],
  [['NAME STATE', '...', 'chat serving'], 'NAME    STATE\nother   serving\nchat    serving\n', true],
  [['chat serving', '...', 'NAME STATE'], 'NAME    STATE\nother   serving\nchat    serving\n', false],
  [['a+b (1 %)'], 'a+b (1 %)', true],
  [['succeeded'], 'succeeded  completed', false],
])('%j in %j: %s', (prints, output, isMatch) => expect(matches(prints, output)).toBe(isMatch))
