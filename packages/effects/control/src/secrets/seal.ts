// Envelope encryption of one version of a secret: a random data key seals the value, a key of the keyring wraps the data key. Both carry the
// project, name and version, so that sealed text opens only in the row that it was made for. The text is `1.<wrapped key>.<sealed value>`.

import { randomBytes } from 'node:crypto'
import { canonicalJson, IronlawError } from '@ironlaw/contracts'
import { decrypt, encrypt, KEY_BYTES, type Keyring } from './key-wrapper.ts'

export type SecretPlace = { readonly project: string; readonly name: string; readonly version: number }

export type Sealed = { readonly sealed: string; readonly key_id: string }

const FORMAT = '1'

const contextOf = ({ project, name, version }: SecretPlace): string => canonicalJson(['ironlaw secret', project, name, version])

export async function seal({ sealing }: Keyring, place: SecretPlace, value: string): Promise<Sealed> {
  const context = contextOf(place)
  const dataKey = randomBytes(KEY_BYTES)
  const sealed = [FORMAT, await sealing.wrap(dataKey, context), encrypt(dataKey, Buffer.from(value), context)].join('.')
  dataKey.fill(0)
  return { sealed, key_id: sealing.id }
}

export async function open(keyring: Keyring, row: SecretPlace & Sealed): Promise<string> {
  const { body, dataKey } = await unwrap(keyring, row)
  try {
    return decrypt(dataKey, body, contextOf(row)).toString('utf8')
  } catch (cause) {
    throw altered(row, cause)
  } finally {
    dataKey.fill(0)
  }
}

/** The same value under the key that seals now. */
export async function rewrap(keyring: Keyring, row: SecretPlace & Sealed): Promise<Sealed> {
  const { body, dataKey } = await unwrap(keyring, row)
  const wrapped = await keyring.sealing.wrap(dataKey, contextOf(row))
  dataKey.fill(0)
  return { sealed: [FORMAT, wrapped, body].join('.'), key_id: keyring.sealing.id }
}

async function unwrap({ byId }: Keyring, row: SecretPlace & Sealed): Promise<{ readonly body: string; readonly dataKey: Buffer }> {
  const { project, name, sealed, key_id } = row
  const key = byId.get(key_id)
  if (!key)
    throw new IronlawError('IL_SECRETS_KEY', {
      problem: `secret "${name}" of project ${project} is sealed with key ${key_id}, which the key file does not have`,
      next: 'copy the key file of the control plane that sealed it, or set the secret again',
    })
  const [format, wrapped, body, ...rest] = sealed.split('.')
  if (format !== FORMAT || wrapped === undefined || body === undefined || rest.length > 0) throw altered(row)
  try {
    return { body, dataKey: await key.unwrap(wrapped, contextOf(row)) }
  } catch (cause) {
    throw altered(row, cause)
  }
}

const altered = ({ project, name, version }: SecretPlace, cause?: unknown): IronlawError =>
  new IronlawError(
    'IL_SECRETS_KEY',
    {
      problem: `version ${version} of secret "${name}" of project ${project} is not as it was sealed`,
      next: 'its row was altered or copied from another place: find out by whom, and set the secret again',
    },
    { cause },
  )
