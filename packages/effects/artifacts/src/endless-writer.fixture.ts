// Writes objects without end, for a test that kills it.

import { openStorage } from './open-storage.ts'

const [url = '', prefix = '', bytes = ''] = process.argv.slice(2)
const storage = openStorage(url)
for (let index = 0; ; index += 1) {
  process.stdout.write('writing\n')
  await storage.put(`${prefix}/${index}`, Buffer.alloc(Number(bytes), index % 256))
}
