// All commands, in the order of help. Each folder declares its own; a command's code is loaded only when it runs.

import type { Command } from 'commander'
import { consoleCommand, keyCommand, tokenCommand } from './access/commands.ts'
import { artifactCommand, diffCommand, traceCommand } from './artifact/commands.ts'
import { auditCommand } from './audit/commands.ts'
import { budgetCommand } from './budget/commands.ts'
import { calibrateCommand } from './calibrate/commands.ts'
import { catalogCommand } from './catalog/commands.ts'
import { certificateCommand } from './certificate/commands.ts'
import { createCommand, examples } from './command.ts'
import { completeCommand, completionCommand } from './completion/commands.ts'
import { contextCommand } from './context/commands.ts'
import { dataCommand } from './data/commands.ts'
import { drillCommand, removeCommand, rolloutCommand } from './deployment/commands.ts'
import { evaluateCommand } from './evaluate/commands.ts'
import { releaseCommand } from './release/commands.ts'
import { benchCommand, chatCommand } from './gateway/commands.ts'
import { lawCommand } from './law/commands.ts'
import { ledgerCommand } from './ledger/commands.ts'
import { exportCommand, modelCommand } from './model/commands.ts'
import { planCommand, schemaCommand, whatifCommand } from './plan/commands.ts'
import { profileCommand } from './profile/commands.ts'
import { engineCommand, gatewayCommand, upCommand } from './programs/commands.ts'
import { applyCommand, describeCommand, eventsCommand, getCommand, logsCommand, topCommand } from './resources/commands.ts'
import { cardCommand, decideCommand } from './registry/commands.ts'
import { explainCommand } from './roofline/commands.ts'
import { cancelCommand, resumeCommand } from './run/commands.ts'
import { secretCommand } from './secret/commands.ts'
import { loginCommand, logoutCommand, sessionCommand } from './sign-in/commands.ts'
import { signCommand, verifyCommand } from './signature/commands.ts'
import { simulateCommand } from './simulate/commands.ts'
import { validateCommand } from './validate/commands.ts'

export function program(): Command {
  const root = createCommand('ironlaw')
    .description('Plan, run and operate machine-learning fleets by the physics that governs them.')
    .version('0.1.0')
    .addHelpText(
      'after',
      examples(
        'ironlaw plan --model Llama-3.1-405B --gpus 16384 --on h100-sxm --tokens 15.6T',
        'ironlaw catalog h100-sxm --against b200',
        'ironlaw model meta-llama/Llama-3.1-70B',
        'ironlaw explain roofline --model Llama-3.1-8B --on h100-sxm --batch 1,8,64',
      ),
    )
  for (const command of [
    planCommand(),
    whatifCommand(),
    simulateCommand(),
    upCommand(),
    applyCommand(),
    getCommand(),
    describeCommand(),
    logsCommand(),
    eventsCommand(),
    ledgerCommand(),
    topCommand(),
    cancelCommand(),
    resumeCommand(),
    loginCommand(),
    logoutCommand(),
    sessionCommand(),
    tokenCommand(),
    secretCommand(),
    artifactCommand(),
    traceCommand(),
    diffCommand(),
    decideCommand(),
    cardCommand(),
    dataCommand(),
    profileCommand(),
    evaluateCommand(),
    releaseCommand(),
    certificateCommand(),
    auditCommand(),
    budgetCommand(),
    contextCommand(),
    consoleCommand(),
    rolloutCommand(),
    drillCommand(),
    removeCommand(),
    keyCommand(),
    chatCommand(),
    benchCommand(),
    exportCommand(),
    signCommand(),
    verifyCommand(),
    engineCommand(),
    gatewayCommand(),
    calibrateCommand(),
    validateCommand(),
    lawCommand(),
    catalogCommand(),
    modelCommand(),
    explainCommand(),
    schemaCommand(),
    completionCommand(root),
  ])
    root.addCommand(command)
  root.addCommand(completeCommand(), { hidden: true })
  return root
}
