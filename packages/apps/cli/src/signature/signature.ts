// `ironlaw sign` and `ironlaw verify`.

import { join } from 'node:path'
import { NOT_SIGNED, readPrivateKey, readPublicKey, signModel, verifyModel } from '@ironlaw/artifacts/signing'
import { SIGNATURE_FILE } from '@ironlaw/contracts/model-signature'
import { counted } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { progressLine } from '../progress.ts'
import { table } from '../table.ts'

const MB = 1e6

export async function signAnswer(directory: string, keyFile: string): Promise<CommandAnswer> {
  const key = await readPrivateKey(keyFile)
  const line = progressLine('MB read')
  const files = await signModel(directory, key, { onBytes: (count) => line.tick(count / MB) })
  line.clear()
  const signature = join(directory, SIGNATURE_FILE)
  return {
    json: { signature, key: key.fingerprint, files },
    text: () => `${signature} signs ${counted(files.length, 'file')} with the key ${key.fingerprint.slice(0, 16)}`,
    notes: [`not signed, where they are there: ${NOT_SIGNED.join(', ')}`],
  }
}

export async function verifyAnswer(directory: string, keyFile: string): Promise<CommandAnswer> {
  const key = await readPublicKey(keyFile)
  const line = progressLine('MB read')
  const result = await verifyModel(directory, key, { onBytes: (count) => line.tick(count / MB) })
  line.clear()
  const signed_by = key.fingerprint
  if (result.state === 'verified')
    return {
      json: { directory, state: 'verified', key: signed_by, files: result.files },
      text: () => `${directory} holds what was signed with the key ${signed_by.slice(0, 16)}: ${counted(result.files, 'file')} verified`,
    }
  const { problems } = result
  const [first] = problems
  return {
    json: { directory, state: 'refused', key: signed_by, problems },
    text: () =>
      table(
        ['FILE', ''],
        problems.map(({ path, problem }) => [path, problem]),
      ),
    exit: 3,
    violation: {
      problem: `${directory} does not hold what was signed: ${first?.path} ${first?.problem}`,
      next: 'get the files again from where they were signed; if the change is yours, sign them again with "ironlaw sign"',
    },
  }
}
