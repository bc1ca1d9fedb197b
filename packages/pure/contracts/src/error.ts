// One catalogue of error codes. A message says what happened, with which value, and what to do next; the
// `exit` of a code is the process status that the command line answers with.

type Entry = { readonly message: string; readonly next: string; readonly exit: 1 | 2 | 3 }

export const ERRORS = {
  IL_USAGE: { message: '{problem}', next: 'run "ironlaw {command} --help" for the arguments and examples', exit: 1 },
  IL_UNKNOWN_LAW: { message: 'there is no law "{id}"', next: '{suggestion}', exit: 1 },
  IL_UNKNOWN_ENTRY: { message: 'the catalog has no {kind} "{id}"', next: '{suggestion}', exit: 1 },
  IL_UNKNOWN_MODEL: { message: 'there is no model "{name}"', next: '{suggestion}', exit: 1 },
  IL_QUANTITY: {
    message: '{name}: {reason}',
    next: 'write a value that fits the flag, quantities with their unit, for example 2min or 80GB',
    exit: 1,
  },
  IL_FILE: { message: 'cannot read {path}: {reason}', next: 'check the path and its permissions', exit: 1 },
  IL_FACT: {
    message: '{file}: {path}: {problem}',
    next: 'correct that field; "ironlaw catalog --help" shows an example of an overriding file',
    exit: 1,
  },
  IL_SPEC: { message: '{file}: {path}: {problem}', next: 'correct that field; the schema is docs/reference/train.schema.json', exit: 1 },
  IL_CONFIG: {
    message: '{file}: {field}: {problem}',
    next: 'a config.json as published with the model on the Hugging Face hub is expected',
    exit: 1,
  },
  IL_UNEXPECTED: {
    message: 'unexpected: {reason}',
    next: 'this is a fault of Ironlaw; please report it with the command and its input',
    exit: 2,
  },
} as const satisfies Record<string, Entry>

export type ErrorCode = keyof typeof ERRORS

export class IronlawError extends Error {
  readonly code: ErrorCode
  readonly next: string
  readonly exit: 1 | 2 | 3

  constructor(code: ErrorCode, details: Readonly<Record<string, string | number>>, options?: { readonly cause: unknown }) {
    const entry = ERRORS[code]
    super(filled(entry.message, details), options)
    this.name = 'IronlawError'
    this.code = code
    this.next = filled(entry.next, details)
    this.exit = entry.exit
  }
}

const filled = (template: string, details: Readonly<Record<string, string | number>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(details[name] ?? `{${name}}`))
