// One catalogue of error codes. A message says what happened, with which value, and what to do next; the
// `exit` of a code is the process status that the command line answers with.

type ErrorEntry = { readonly message: string; readonly next: string; readonly exit: 1 | 2 | 3 }

type ErrorOptions = {
  readonly cause?: unknown
  /** What to do about this cause, where the catalogue only knows what to do about the code. */
  readonly next?: string
}

export const ERRORS = {
  IL_USAGE: { message: '{problem}', next: 'run "ironlaw {command} --help" for the arguments and examples', exit: 1 },
  IL_UNKNOWN_LAW: { message: 'there is no law "{id}"', next: '{suggestion}', exit: 1 },
  IL_UNKNOWN_ENTRY: { message: 'the catalog has no {kind} "{id}"', next: '{suggestion}', exit: 1 },
  IL_UNKNOWN_MODEL: { message: 'there is no model "{name}"', next: '{suggestion}', exit: 1 },
  IL_QUANTITY: {
    message: '{name}: {reason}',
    next: 'give it again in that form; counts are whole numbers, quantities carry their unit',
    exit: 1,
  },
  IL_FILE: { message: 'cannot read {path}: {reason}', next: 'check the path and its permissions', exit: 1 },
  IL_WRITE: {
    message: 'cannot write {path}: {reason}',
    next: 'check the directory and its permissions, or write somewhere else',
    exit: 1,
  },
  IL_DISK_FULL: {
    message: 'cannot write {path}: the disk is full',
    next: 'free some space ("df -h" shows which disk is full), or use a directory on another disk',
    exit: 1,
  },
  IL_DOCUMENT: {
    message: '{path}: {reason}',
    next: 'correct it there, or write the file again with the command that made it',
    exit: 1,
  },
  IL_FACT: {
    message: '{file}: {path}: {problem}',
    next: 'correct that field in the file; "ironlaw catalog ID --json" shows how an entry is written',
    exit: 1,
  },
  IL_SPEC: {
    message: '{file}: {path}: {problem}',
    next: 'correct it in the spec; "ironlaw schema" lists every field with its unit',
    exit: 1,
  },
  IL_CONFIG: {
    message: '{file}: {field}: {problem}',
    next: 'a config.json as published with the model on the Hugging Face hub is expected',
    exit: 1,
  },
  IL_ENGINE: {
    message: 'the engine at {url} does not answer: {reason}',
    next: 'check that it serves at this address and takes such requests; what was answered is kept, and the same command goes on from there',
    exit: 1,
  },
  IL_SANDBOX: {
    message: 'programs cannot be run in a sandbox here: {reason}',
    next: 'install bubblewrap (bwrap), allow user namespaces (kernel.unprivileged_userns_clone, user.max_user_namespaces), and name a Python that everybody may read as sandbox.interpreter',
    exit: 1,
  },
  IL_PIPELINE: { message: '{problem}', next: '{next}', exit: 1 },
  IL_VIOLATED: { message: '{problem}', next: '{next}', exit: 3 },
  IL_NOT_DEPLOYABLE: { message: 'plan {plan} cannot be deployed: {reason}', next: '{next}', exit: 3 },
  IL_NO_CONTEXT: {
    message: 'no control plane is known: {file} is not there',
    next: 'start one with "ironlaw up", or set IRONLAW_API and IRONLAW_TOKEN',
    exit: 1,
  },
  IL_UNKNOWN_CONTEXT: { message: 'there is no context "{name}" in {file}', next: '{suggestion}', exit: 1 },
  IL_NO_CURRENT_CONTEXT: {
    message: 'no context of {file} is the current one',
    next: 'choose one with "ironlaw context use NAME", or name it with --context; there are: {names}',
    exit: 1,
  },
  IL_UNREACHABLE: {
    message: 'cannot reach the control plane at {api}: {reason}',
    next: 'is it running? "ironlaw up" starts one; IRONLAW_API points elsewhere',
    exit: 1,
  },
  IL_LISTEN: { message: 'cannot listen on {address}: {reason}', next: '{next}', exit: 1 },
  IL_DATABASE: { message: 'cannot use the database {database}: {reason}', next: '{next}', exit: 1 },
  IL_NO_SLURM: {
    message: '--executor slurm: this machine has no Slurm commands ("{command}" is not on the PATH)',
    next: "install Slurm's client commands or add their directory to PATH; --executor slurm-rest needs none, --executor local runs jobs here",
    exit: 1,
  },
  IL_NO_CONFIGURATION: { message: 'the gateway has no configuration: {source}: {reason}', next: '{next}', exit: 1 },
  IL_NO_GATEWAY: {
    message: 'cannot reach a gateway at {url}: {reason}',
    next: 'start one with "ironlaw gateway", or name another with --gateway or IRONLAW_GATEWAY',
    exit: 1,
  },
  IL_NO_TERMINAL: {
    message: 'stdin is not a terminal, so the question "{question}" cannot be asked',
    next: 'pass -y to {command} without confirmation',
    exit: 1,
  },
  IL_API: { message: '{problem} ({code})', next: '{next}', exit: 1 },
  IL_UNKNOWN_RUN: { message: 'there is no {kind} "{name}"', next: 'run "ironlaw get" to see them', exit: 1 },
  IL_UNAUTHENTICATED: {
    message: 'missing or invalid token',
    next: 'set IRONLAW_TOKEN to a valid token, or ask an administrator for a new one ("ironlaw token create")',
    exit: 1,
  },
  IL_LOGIN_CODE: {
    message: 'this link was used before, or has expired',
    next: 'run "ironlaw console", which prints a new one, or paste a token',
    exit: 1,
  },
  IL_FORBIDDEN: { message: 'this needs {need}, the token is for {has}', next: 'ask an administrator for a token with that role', exit: 1 },
  IL_NOT_FOUND: { message: 'there is no {kind} "{id}"', next: 'check the name; the list of each kind shows what there is', exit: 1 },
  IL_CONFLICT: { message: '{problem}', next: '{next}', exit: 1 },
  IL_SECRETS_KEY: { message: '{problem}', next: '{next}', exit: 1 },
  IL_STALE: {
    message: '{what} was changed since you read it: {changes}',
    next: 'read it again, make your change in that, and send it with its ETag in If-Match',
    exit: 1,
  },
  IL_UNSEEN: {
    message: '{what} exists, and the request does not say which version you have seen',
    next: 'read it, and send its ETag in If-Match; "If-Match: *" replaces whatever is there',
    exit: 1,
  },
  IL_LIMIT: { message: 'too many {what}: at most {limit}', next: '{next}', exit: 2 },
  IL_SIGN_IN: { message: 'sign-in was refused: {reason}', next: '{next}', exit: 1 },
  IL_NO_SIGN_IN: {
    message: 'this control plane has no identity provider',
    next: 'use a token ("ironlaw token create"), or have "ironlaw up" started with --oidc-issuer and --oidc-client-id',
    exit: 1,
  },
  IL_FENCED: {
    message: 'attempt {attempt} of run {run} is over: a later one exists, or the run has ended',
    next: 'end the processes of this attempt: nothing they write counts any more',
    exit: 1,
  },
  IL_INVALID: { message: '{path}: {problem}', next: 'correct that field; the schema is docs/reference/openapi.json', exit: 1 },
  IL_TOO_LARGE: { message: '{what} is larger than {limit_bytes} bytes', next: 'send less at a time, or have the limit raised', exit: 1 },
  IL_INEXACT: {
    message: '{framework} would not run the plan as it was priced: {problems}',
    next: 'decide otherwise under {decisions}, choose another {choice}, or run what is nearest with --accept-inexact',
    exit: 3,
  },
  IL_IMPOSSIBLE: {
    message: '{framework} cannot run this plan: {problems}',
    next: 'choose another {choice}, or decide otherwise under {decisions}; "ironlaw plan" prices what you decide',
    exit: 3,
  },
  IL_EXPORT: {
    message: 'cannot export {source}: {reason}',
    next: 'a run, the manifest of a checkpoint, or a directory with config.json and model.safetensors is expected; "ironlaw export --help"',
    exit: 1,
  },
  IL_EXPORT_DIFFERS: {
    message: '{file} does not answer as PyTorch does: a logit differs by {difference}, allowed are {tolerance}',
    next: 'do not serve these files; report it with the config.json of the model',
    exit: 3,
  },
  IL_SIGNATURE: {
    message: 'refused to serve {directory}: {path} {problem}',
    next: 'serve a version that "ironlaw verify {directory} --key {key}" accepts; "ironlaw sign" signs one',
    exit: 3,
  },
  IL_STORAGE: { message: 'cannot {act} {key} in {storage}: {reason}', next: '{next}', exit: 2 },
  IL_DAMAGED: {
    message: '{path} is damaged: the object {key} in {storage} {problem}',
    next: 'add the original files again and have that object written again, or restore it from a backup of the storage',
    exit: 3,
  },
  IL_UNAVAILABLE: {
    message: '{what} does not answer: {reason}',
    next: 'try again in a few seconds; jobs that run go on meanwhile',
    exit: 2,
  },
  IL_UNEXPECTED: {
    message: 'unexpected: {reason}',
    next: 'this is a fault of Ironlaw; please report it with the command and its input',
    exit: 2,
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS

export class IronlawError extends Error {
  readonly code: ErrorCode
  readonly next: string
  readonly exit: 1 | 2 | 3

  constructor(code: ErrorCode, details: Readonly<Record<string, string | number>>, options: ErrorOptions = {}) {
    const entry = ERRORS[code]
    super(filledTemplate(entry.message, details), 'cause' in options ? { cause: options.cause } : {})
    this.name = 'IronlawError'
    this.code = code
    this.next = options.next ?? filledTemplate(entry.next, details)
    this.exit = entry.exit
  }
}

const filledTemplate = (template: string, details: Readonly<Record<string, string | number>>): string =>
  // A list of problems begins on a line of its own.
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(details[name] ?? `{${name}}`)).replaceAll(/ +\n/g, '\n')

/** An error as programs print it on standard error. */
export const errorText = ({ code, message, next }: Pick<IronlawError, 'code' | 'message' | 'next'>): string =>
  `error ${code}: ${message}\n  next: ${next}\n`
