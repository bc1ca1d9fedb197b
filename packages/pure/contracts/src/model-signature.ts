// A signature over the files of a model, in the format of OpenSSF's model signing: a sigstore bundle around a DSSE envelope around an in-toto
// statement, stored next to the files as `model.sig`. Other fields than these are ignored, as the format asks of its readers. A separate
// entry point, as everything that loads zod.

import * as z from 'zod'
import { ARTIFACT_PATH, MOST_ARTIFACT_FILES } from './artifact.ts'

export const SIGNATURE_FILE = 'model.sig'

export const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json'
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
export const SIGNATURE_PREDICATE = 'https://model_signing/signature/v1.0'
export const IN_TOTO_PAYLOAD = 'application/vnd.in-toto+json'

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 of 64 hexadecimal digits')

export const SIGNATURE_BUNDLE = z.object({
  mediaType: z.literal(BUNDLE_TYPE, `expected ${BUNDLE_TYPE}`),
  verificationMaterial: z.object({
    publicKey: z.object(
      { hint: z.string().nullish().describe('SHA-256 of the public key as PEM') },
      'expected a signature by a key, not by a certificate or an identity',
    ),
    // Of transparency logs, which signatures by a key are not in; OpenSSF's tool wants the field.
    tlogEntries: z.array(z.unknown()).exactOptional(),
  }),
  dsseEnvelope: z.object({
    // Base64; checked where it is decoded, since a regular expression over megabytes runs out of stack.
    payload: z.string(),
    payloadType: z.literal(IN_TOTO_PAYLOAD, `expected ${IN_TOTO_PAYLOAD}`),
    signatures: z.array(z.object({ sig: z.string(), keyid: z.string().exactOptional() })).length(1, 'expected one signature'),
  }),
})

const RESOURCE = z.object({ name: ARTIFACT_PATH, algorithm: z.literal('sha256', 'expected sha256'), digest })

export const SIGNED_STATEMENT = z.object({
  _type: z.literal(STATEMENT_TYPE, `expected ${STATEMENT_TYPE}`),
  subject: z
    .array(z.object({ name: z.string(), digest: z.object({ sha256: digest.describe('Over the digests of all resources') }) }))
    .length(1),
  predicateType: z.literal(SIGNATURE_PREDICATE, `expected ${SIGNATURE_PREDICATE}`),
  predicate: z.object({
    serialization: z.object({
      method: z.literal('files', 'expected files'),
      hash_type: z.literal('sha256', 'expected sha256'),
      allow_symlinks: z.boolean(),
      ignore_paths: z.array(z.string()).exactOptional().describe('Not signed; a directory stands for all that is in it'),
    }),
    resources: z
      .array(RESOURCE)
      .min(1)
      .max(MOST_ARTIFACT_FILES)
      .refine((files) => new Set(files.map(({ name }) => name)).size === files.length, 'two files have the same name'),
  }),
})

export type SignatureBundle = z.output<typeof SIGNATURE_BUNDLE>
export type SignedStatement = z.output<typeof SIGNED_STATEMENT>
