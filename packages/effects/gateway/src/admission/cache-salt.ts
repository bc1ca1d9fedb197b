// For whom an engine may reuse what it evaluated of a prompt: requests with the same salt, and no others. Each tenant has a salt of its own;
// keys that name a cache group share one among themselves. A salt is a keyed hash, so that engines and their logs do not learn tenants'
// names, and a client that reaches an engine past the gateway cannot compute one. A client's own salt divides its tenant's further.

import { createHmac, randomBytes } from 'node:crypto'
import type { KeyEntry } from '@ironlaw/contracts/gateway-snapshot'

export class CacheSalts {
  readonly #secret: string | Buffer
  readonly #salts = new Map<string, string>()

  constructor(secret: string | Buffer) {
    this.#secret = secret
  }

  of({ tenant, cache_group }: Pick<KeyEntry, 'tenant' | 'cache_group'>, clientSalt: string | undefined): string {
    const owner = JSON.stringify(cache_group === undefined ? ['tenant', tenant] : ['group', cache_group])
    let salt = this.#salts.get(owner)
    if (salt === undefined) this.#salts.set(owner, (salt = keyedHash(this.#secret, owner)))
    return clientSalt === undefined ? salt : keyedHash(salt, clientSalt)
  }
}

/** 43 characters, all the same length: SGLang appends a client's `extra_key` to the salt, which must not make it another's. */
const keyedHash = (secret: string | Buffer, text: string): string => createHmac('sha256', secret).update(text).digest('base64url')

/** Of a gateway that no control plane gives one: its salts are its own, and change when it restarts. */
export const newSecret = (): Buffer => randomBytes(32)
