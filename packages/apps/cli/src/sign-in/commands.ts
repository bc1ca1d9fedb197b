// Signing in and out through the identity provider of a control plane, and the sessions of everyone who did.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'
import type { LoginFlags } from './login.ts'

type Flags = { readonly json?: true }

export function loginCommand(): Command {
  return withContext(withJson(createCommand('login')))
    .description('sign in through the identity provider of a control plane: shows a code to confirm in any browser')
    .option('--api <url>', 'address of its API, if no context has it yet')
    .option('--as <name>', 'what to call the context')
    .option('--ca <file>', 'authority of its certificate, in PEM, if this machine does not trust it anyway; kept in the context')
    .addHelpText(
      'after',
      examples(
        'ironlaw login',
        'ironlaw login --api https://ironlaw.example.org --as production',
        'ironlaw login --api https://10.0.0.5:7600 --ca ca.pem',
      ),
    )
    .action(async (flags: Flags & LoginFlags) => {
      const { logIn } = await import('./login.ts')
      printAnswer(await logIn(flags), flags.json === true)
    })
}

export function logoutCommand(): Command {
  return withContext(withJson(createCommand('logout')))
    .description('sign out: ends the session that "ironlaw login" opened, and forgets its context')
    .addHelpText('after', examples('ironlaw logout'))
    .action(async (flags: Flags) => {
      const { logOut } = await import('./login.ts')
      printAnswer(await logOut(), flags.json === true)
    })
}

export function sessionCommand(): Command {
  const command = createCommand('session').description('see who is signed in through the identity provider, and end sessions')
  command.addCommand(
    withContext(withJson(createCommand('list')))
      .description('list the sessions of everyone, in browsers and on the command line')
      .addHelpText('after', examples('ironlaw session list'))
      .action(async (flags: Flags) => {
        const { listSessions } = await import('./sessions.ts')
        printAnswer(await listSessions(), flags.json === true)
      }),
  )
  command.addCommand(
    withContext(withJson(createCommand('revoke')))
      .description('end a session, or all of a person; the next request of it is refused')
      .argument('<id>', 'id of the session or of the person, as shown by "ironlaw session list"')
      .addHelpText('after', examples('ironlaw session revoke session-x7k2m9pq4r', 'ironlaw session revoke oidc:ada'))
      .action(async (id: string, flags: Flags) => {
        const { revokeSessions } = await import('./sessions.ts')
        printAnswer(await revokeSessions(id), flags.json === true)
      }),
  )
  return command
}
