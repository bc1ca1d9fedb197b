// Certificates of the site's authority.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'
import type { IssueFlags } from './issue-certificate.ts'

type Flags = { readonly json?: true }

export function certificateCommand(): Command {
  return createCommand('certificate')
    .description("show the site's authority, and issue certificates of it")
    .addCommand(showCommand())
    .addCommand(issueCommand())
}

function showCommand(): Command {
  return withContext(withJson(createCommand('show')))
    .description("show the site's authority: subject, fingerprint and expiry")
    .option('--pem', 'print its certificate in PEM, which clients are to trust')
    .addHelpText('after', examples('ironlaw certificate show', 'ironlaw certificate show --pem > ca.pem'))
    .action(async (flags: Flags & { readonly pem?: true }) => {
      const { showAuthority } = await import('./show-authority.ts')
      printAnswer(await showAuthority(flags), flags.json === true)
    })
}

function issueCommand(): Command {
  return withContext(withJson(createCommand('issue')))
    .description('issue a certificate for a machine: makes the key here, and writes cert.pem, key.pem and ca.pem; needs an administrator')
    .requiredOption('--name <hosts...>', 'host names and addresses under which it is reached')
    .requiredOption('--out <directory>', 'where to write the files; made if it is missing')
    .option('--usage <kind>', 'server, client (to call replicas) or both', 'server')
    .option('--days <n>', 'how long it is valid, at most 398', '30')
    .option('--replace', 'replace the files of a certificate that is there already')
    .addHelpText(
      'after',
      examples(
        'ironlaw certificate issue --name gateway.example.org 10.0.0.7 --out tls',
        'ironlaw certificate issue --name engine-1 --usage both --days 90 --out tls --replace',
      ),
    )
    .action(async (flags: Flags & IssueFlags) => {
      const { issueCertificate } = await import('./issue-certificate.ts')
      printAnswer(await issueCertificate(flags), flags.json === true)
    })
}
