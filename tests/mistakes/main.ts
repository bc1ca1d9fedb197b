// `npm run mistakes`: makes every mistake and keeps what it is answered with. Look at the difference before you commit it.

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { keptMessages, MESSAGES_FILE, makeMistakes } from './make-all.ts'
import { MISTAKES } from './mistakes.ts'

const began = performance.now()
const kept = keptMessages()
const known = new Map<string, object>(Object.entries(kept))
// After each, so that what was made is kept when this is stopped.
const { messages, outcomes } = await makeMistakes((id, message) => {
  known.set(id, message)
  const all = MISTAKES.flatMap((each) => (known.has(each.id) ? [[each.id, known.get(each.id)] as const] : []))
  writeFileSync(MESSAGES_FILE, `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`)
})
for (const [id, { output, errors }] of outcomes)
  if (!messages.get(id)) console.log(`${id} is not answered by an error with what to do next:\n${output}\n${errors}`)
console.log(`${outcomes.size} mistakes in ${((performance.now() - began) / 1000).toFixed(0)} s`)
process.exitCode = spawnSync(process.execPath, ['tools/generate.ts'], { stdio: 'inherit' }).status ?? 1
