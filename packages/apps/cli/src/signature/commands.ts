// Signatures over the files of a model.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withJson } from '../command.ts'

type Flags = { readonly json?: true; readonly key: string }

export function signCommand(): Command {
  return withJson(createCommand('sign'))
    .description("sign the files of a model in the format of OpenSSF's model signing, as model.sig next to them")
    .argument('<directory>', 'what "ironlaw export" wrote, or any other directory with a model')
    .requiredOption('--key <file>', 'private key in PEM, of P-256, P-384 or P-521')
    .addHelpText('after', examples('ironlaw sign models/tiny --key key.pem'))
    .action(async (directory: string, flags: Flags) => {
      const { signAnswer } = await import('./signature.ts')
      printAnswer(await signAnswer(directory, flags.key), flags.json === true)
    })
}

export function verifyCommand(): Command {
  return withJson(createCommand('verify'))
    .description('verify that a directory holds what was signed, unchanged and nothing else; exit status 3 if not')
    .argument('<directory>', 'with model.sig in it')
    .requiredOption('--key <file>', 'public key in PEM')
    .addHelpText('after', examples('ironlaw verify models/tiny --key key.pub.pem'))
    .action(async (directory: string, flags: Flags) => {
      const { verifyAnswer } = await import('./signature.ts')
      printAnswer(await verifyAnswer(directory, flags.key), flags.json === true)
    })
}
