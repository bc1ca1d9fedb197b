// Named secrets of a project, as the API takes them, and as specs refer to them. Values go in and never come out again. A separate entry
// point, as everything that loads zod.

import * as z from 'zod'

export const SECRET_NAME = z.string().regex(/^[A-Za-z0-9][\w.-]{0,62}$/, 'letters, digits, dots, hyphens and underscores, at most 63')

/** Keys and certificates have a few kB; what is larger belongs into a file of the team's own. */
const VALUE_CHARACTERS = 64 * 1024

export const SET_SECRET = z
  .strictObject({
    value: z
      .string()
      .min(1, 'must not be empty')
      .max(VALUE_CHARACTERS, `at most ${VALUE_CHARACTERS} characters`)
      .regex(/^[^\0]*$/, 'must not contain NUL')
      .describe('Sealed at once; no answer, event or log contains it'),
  })
  .meta({ id: 'SetSecret' })

export const SECRET = z
  .object({
    name: z.string(),
    version: z.int().describe('Counts from 1 with every value that was set'),
    created_at: z.number().describe('When this version was set, unix seconds'),
    created_by: z.string(),
  })
  .meta({ id: 'Secret' })

export const ROTATE_KEY = z
  .strictObject({
    rewrap_only: z.boolean().default(false).describe('Wrap with the first key of the file as it is, instead of a new one'),
    forget_old: z.boolean().default(false).describe('Remove the other keys from the file; other databases may need them'),
  })
  .meta({ id: 'RotateKey' })

export const ROTATED_KEY = z
  .object({
    key: z.string().describe('Id of the key that seals now'),
    rewrapped: z.int().describe('Versions of secrets that it wraps'),
    keys: z.int().describe('Keys in the file'),
  })
  .meta({ id: 'RotatedKey' })

/** Variables of the launchers of jobs. */
export const SECRETS_DIRECTORY_VARIABLE = 'IRONLAW_SECRETS_DIR'
export const SECRETS_VARIABLE = 'IRONLAW_SECRETS'

const MOST_REFERENCES = 64

/** In specs and programs: a variable of the job and the secret that it stands for. */
export const SECRET_REFERENCES = z
  .record(z.string().regex(/^(?!IRONLAW_)[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'expected the name of an environment variable'), SECRET_NAME)
  .refine((references) => Object.keys(references).length <= MOST_REFERENCES, `at most ${MOST_REFERENCES} secrets`)
  .describe(
    'Environment variables, each with the name of a secret of the project: the process gets the value, and NAME_FILE names a file that holds it',
  )
  .meta({ examples: [{ HF_TOKEN: 'hf-token' }] })

export type SecretReferences = Readonly<Record<string, string>>

export type SecretView = z.infer<typeof SECRET>
