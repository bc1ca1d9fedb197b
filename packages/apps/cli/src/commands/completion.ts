// Completion scripts made from the commands themselves, so that they cannot name a flag that is not there.

import { IronlawError } from '@ironlaw/contracts'
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

type Words = ReadonlyMap<string, readonly string[]>

/** What may follow each command path: its subcommands and long flags. */
function wordsOf(command: Command, path = ''): Words {
  const own = [
    ...command.commands.map((each) => each.name()),
    ...command.options.map((option) => option.long ?? '').filter(Boolean),
    '--help',
  ]
  return new Map([[path, own], ...command.commands.flatMap((each) => [...wordsOf(each, `${path} ${each.name()}`.trim())])])
}

const bash = (words: Words): string => `_ironlaw() {
  local word=\${COMP_WORDS[COMP_CWORD]} path="\${COMP_WORDS[1]} \${COMP_WORDS[2]}"
  case "$path" in
${[...words]
  .filter(([path]) => path !== '')
  .toSorted(([a], [b]) => b.length - a.length)
  .map(
    ([path, own]) =>
      `    "${path}"${path.includes(' ') ? '' : '\\ *'}) [ "$COMP_CWORD" -gt ${path.split(' ').length} ] && COMPREPLY=($(compgen -W "${own.join(' ')}" -- "$word")) && return ;;`,
  )
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "${(words.get('') ?? []).join(' ')}" -- "$word"))
}
complete -F _ironlaw ironlaw
`

const fish = (words: Words): string =>
  [...words]
    .flatMap(([path, own]) =>
      own.map((word) => {
        const when = path === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${path.split(' ').at(-1)}`
        return word.startsWith('--')
          ? `complete -c ironlaw -n '${when}' -l ${word.slice(2)}`
          : `complete -c ironlaw -f -n '${when}' -a ${word}`
      }),
    )
    .join('\n') + '\n'
