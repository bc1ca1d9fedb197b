// What the certificate of a replica names. It is no host: a replica may run on any node, and its certificate is made before it is placed. A
// hash, because ids are longer than a label of a host name may be.

import { sha256 } from './sha256.ts'

const DIGITS = 32

export const replicaTlsName = (replica: string): string => `r-${sha256(replica).slice(0, DIGITS)}.replica.ironlaw`
