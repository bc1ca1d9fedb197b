// Completion scripts made from the commands themselves, so that they cannot name a flag that is not there. Flags come where a word begins
// with "-", names where a command takes one, and files everywhere else.

import { builtInCatalog } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import { builtInModels } from '@ironlaw/models'
import type { Command } from 'commander'

export function completionScript(shell: string, root: Command): string {
  const words = wordsOf(root)
  switch (shell) {
    case 'bash':
      return bash(words)
    case 'zsh':
      return `#compdef ironlaw\nautoload -U +X bashcompinit && bashcompinit\n${bash(words)}`
    case 'fish':
      return fish(words)
    default:
      throw new IronlawError('IL_USAGE', {
        problem: `there is no completion for the shell "${shell}"; use bash, zsh or fish`,
        command: 'completion',
      })
  }
}

const ACCELERATORS = [...builtInCatalog.accelerators.keys()].join(' ')
/** With and without the organisation that published them: both are accepted. */
const MODELS = [...new Set(builtInModels.flatMap(({ name }) => [name.split('/').at(-1) ?? name, name]))].join(' ')

/** Arguments of a command, by kind; "ironlaw complete KIND" prints those that a control plane knows. */
const NAMED_BY_COMMAND: Readonly<Record<string, readonly string[]>> = {
  subjects: ['get', 'describe', 'logs', 'events'],
  runs: ['cancel', 'resume', 'ledger', 'export'],
  deployments: [
    'rollout pause',
    'rollout resume',
    'rollout promote',
    'rollout rollback',
    'rollout back',
    'rollout status',
    'drill rollback',
    'remove',
    'chat',
    'bench serve',
  ],
  contexts: ['context use', 'context remove'],
}

const NAMED_BY_FLAG: Readonly<Record<string, string>> = { '--from': 'runs', '--context': 'contexts' }

/** Commands whose --context is a number of tokens. */
const CONTEXT_IN_TOKENS = ['engine', 'explain']

type CommandWords = { readonly commands: readonly string[]; readonly flags: readonly string[]; readonly valued: readonly string[] }
type Words = ReadonlyMap<string, CommandWords>

/** What may follow each command path: its subcommands and long flags, and which of those take a value. */
function wordsOf(command: Command, path = ''): Words {
  const options = command.options.filter(({ hidden, long }) => !hidden && long)
  const own = {
    commands: command.commands.map((each) => each.name()).filter((name) => name !== 'complete'),
    flags: [...options.map(({ long }) => long ?? ''), '--help'],
    valued: options.filter(({ required, optional }) => required || optional).map(({ long }) => long ?? ''),
  }
  return new Map([[path, own], ...command.commands.flatMap((each) => [...wordsOf(each, `${path} ${each.name()}`.trim())])])
}

const bash = (words: Words): string => `_ironlaw() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} one=\${COMP_WORDS[1]} two=\${COMP_WORDS[2]} path="" kind="" words="" flags=""
  COMPREPLY=()
  case "$one $two" in
${[...words.keys()]
  .filter((path) => path.includes(' '))
  .map((path) => `    "${path}") [ "$COMP_CWORD" -gt 2 ] && path="${path}" ;;`)
  .join('\n')}
  esac
  [ -z "$path" ] && [ "$COMP_CWORD" -gt 1 ] && path=$one
  case "$before" in
    --on | --against) COMPREPLY=($(compgen -W "${ACCELERATORS}" -- "$word")); return ;;
    --model) COMPREPLY=($(compgen -W "${MODELS}" -- "$word")); return ;;
${Object.entries(NAMED_BY_FLAG)
  .map(([flag, kind]) => `    ${flag}) kind=${kind} ;;`)
  .join('\n')}
    ${valuedFlags(words).join(' | ')}) return ;;
  esac
  case "$one" in ${CONTEXT_IN_TOKENS.join(' | ')}) [ "$kind" = contexts ] && return ;; esac
  if [ -z "$kind" ]; then
    case "$path" in
${[...words].map(([path, { commands, flags }]) => `      "${path}") words="${commands.join(' ')}" flags="${flags.join(' ')}" ;;`).join('\n')}
    esac
    case "$word" in
      -*) COMPREPLY=($(compgen -W "$flags" -- "$word")); return ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    case "$path" in
      model) COMPREPLY+=($(compgen -W "${MODELS}" -- "$word")) ;;
      catalog) COMPREPLY+=($(compgen -W "${ACCELERATORS}" -- "$word")) ;;
${Object.entries(NAMED_BY_COMMAND)
  .map(([kind, paths]) => `      ${paths.map((path) => `"${path}"`).join(' | ')}) kind=${kind} ;;`)
  .join('\n')}
    esac
  fi
  [ -n "$kind" ] && COMPREPLY+=($(compgen -W "$(ironlaw complete "$kind" 2>/dev/null)" -- "$word"))
}
complete -o bashdefault -o default -F _ironlaw ironlaw
`

/** These take a value, which may be a file. */
const valuedFlags = (words: Words): readonly string[] => {
  const known = new Set(['--on', '--against', '--model', ...Object.keys(NAMED_BY_FLAG)])
  return [...new Set([...words.values()].flatMap(({ valued }) => valued))].filter((flag) => !known.has(flag)).toSorted()
}

function fish(words: Words): string {
  const lists: Readonly<Record<string, string>> = {
    '--on': ACCELERATORS,
    '--against': ACCELERATORS,
    '--model': MODELS,
    ...Object.fromEntries(Object.entries(NAMED_BY_FLAG).map(([flag, kind]) => [flag, `(ironlaw complete ${kind} 2>/dev/null)`])),
  }
  const when = (path: string): string =>
    path === ''
      ? '__fish_use_subcommand'
      : path
          .split(' ')
          .map((name) => `__fish_seen_subcommand_from ${name}`)
          .join('; and ')
  const own = [...words].flatMap(([path, { commands, flags, valued }]) => [
    ...commands.map((name) => `complete -c ironlaw -f -n '${when(path)}' -a ${name}`),
    ...flags.map((flag) => {
      const list = CONTEXT_IN_TOKENS.includes(path.split(' ')[0] ?? '') && flag === '--context' ? undefined : lists[flag]
      const value = !valued.includes(flag) ? '' : list === undefined ? ' -r' : ` -x -a '${list}'`
      return `complete -c ironlaw -n '${when(path)}' -l ${flag.slice(2)}${value}`
    }),
  ])
  const names = Object.entries(NAMED_BY_COMMAND).flatMap(([kind, paths]) =>
    paths.map((path) => `complete -c ironlaw -f -n '${when(path)}' -a '(ironlaw complete ${kind} 2>/dev/null)'`),
  )
  return `${[...own, ...names].join('\n')}\n`
}
