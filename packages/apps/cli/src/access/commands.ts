// Who may do what: tokens of the control plane, keys of the gateways, the link into the console.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'
import type { RotateFlags, TokenFlags } from './tokens.ts'

type Flags = { readonly json?: true }

export function tokenCommand(): Command {
  const command = createCommand('token').description(
    'manage access to the control plane: tokens, each with a role in some projects or everywhere',
  )
  command.addCommand(
    withContext(withJson(createCommand('create')))
      .description('create a token; the secret is shown only once')
      .argument('<name>', 'who will use it')
      .option('--role <role>', 'viewer, member, operator, admin, or gateway (can only report usage and fetch its configuration)', 'viewer')
      .option('--project <names...>', 'projects that it holds in (default: everywhere)')
      .option('--expires <time>', 'how long it is valid, such as 30d (default: until it is revoked)')
      .option('--gateway <name>', 'with --role gateway: the only gateway that it speaks for (default: the first that uses it)')
      .addHelpText(
        'after',
        examples(
          'ironlaw token create ada --role operator',
          'ironlaw token create ci --role member --project search --expires 30d',
          'ironlaw token create gw --role gateway --gateway gateway-1',
        ),
      )
      .action(async (name: string, flags: Flags & TokenFlags) => {
        const { createToken } = await import('./tokens.ts')
        printAnswer(await createToken(name, flags), flags.json === true)
      }),
  )
  command.addCommand(
    withContext(withJson(createCommand('list')))
      .description('list all tokens, without their secrets')
      .addHelpText('after', examples('ironlaw token list'))
      .action(async (flags: Flags) => {
        const { listTokens } = await import('./tokens.ts')
        printAnswer(await listTokens(), flags.json === true)
      }),
  )
  command.addCommand(
    withContext(withJson(createCommand('rotate')))
      .description('give a token a new secret, which is shown only once')
      .argument('<id>', 'id of the token, as shown by "ironlaw token list"; or its name')
      .option('--overlap <time>', 'how long the secret before stays valid, such as 1h (default: not at all)')
      .option('--expires <time>', 'a new expiry, such as 30d (default: the one before)')
      .addHelpText('after', examples('ironlaw token rotate ci --overlap 1h'))
      .action(async (id: string, flags: Flags & RotateFlags) => {
        const { rotateToken } = await import('./tokens.ts')
        printAnswer(await rotateToken(id, flags), flags.json === true)
      }),
  )
  command.addCommand(
    withContext(withJson(createCommand('revoke')))
      .description('revoke a token')
      .argument('<id>', 'id of the token, as shown by "ironlaw token list"')
      .addHelpText('after', examples('ironlaw token revoke ada-x7k2m9pq4r'))
      .action(async (id: string, flags: Flags) => {
        const { revokeToken } = await import('./tokens.ts')
        printAnswer(await revokeToken(id), flags.json === true)
      }),
  )
  return command
}

export function consoleCommand(): Command {
  return withContext(withJson(createCommand('console')))
    .description('print a link that opens the console logged in: once, and within five minutes')
    .addHelpText('after', examples('ironlaw console'))
    .action(async (flags: Flags) => {
      const { createConsoleLink } = await import('./console.ts')
      printAnswer(await createConsoleLink(), flags.json === true)
    })
}

export function keyCommand(): Command {
  return withContext(withJson(createCommand('key')))
    .description('create a gateway key: the secret for the client, and the entry for access.yaml')
    .argument('<tenant>', 'whose quota and budget it uses')
    .option('--add', 'grant it access at the gateways of the control plane, create the tenant if it is new, and print only the key')
    .addHelpText('after', examples('ironlaw key search', 'export IRONLAW_KEY=$(ironlaw key me --add)'))
    .action(async (tenant: string, flags: Flags & { readonly add?: true }) => {
      const { addedKeyAnswer, keyAnswer } = await import('./key.ts')
      printAnswer(flags.add ? await addedKeyAnswer(tenant) : keyAnswer(tenant), flags.json === true)
    })
}
