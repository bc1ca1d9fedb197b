// The commands around serving a model: export it, run an engine, run a gateway.

import type { Command } from 'commander'
import { examples, createCommand, withContext, withJson } from '../command.ts'
import type { ExportFlags } from './export.ts'
import type { GatewayFlags } from './gateway.ts'
import type { ProgramFlags } from './start-program.ts'

export const serveCommands = (): readonly Command[] => [exportCommand(), engine(), gateway()]

function exportCommand(): Command {
  return withContext(withJson(createCommand('export')))
    .description('write a trained model as GGUF and safetensors, check that it answers as PyTorch does, and record its provenance')
    .argument('<source>', "a run, its directory, a checkpoint's manifest, or a directory with config.json and model.safetensors")
    .requiredOption('--to <directory>', 'output directory')
    .option('--format <list>', 'gguf, safetensors', 'gguf,safetensors')
    .option('--quantise <list>', 'GGUF files in addition to the 32-bit one: f16, q8_0, q4_0', 'q8_0')
    .option('--config <file>', "the model's config.json, which a checkpoint does not hold")
    .option('--held-out <file>', 'text that was not trained on: the perplexity of each file is measured on it')
    .option('--name <name>', 'what the model is called (default: the name of the run, or "model")')
    .option('--data <text>', 'what it was trained on, for the record')
    .option('--code <text>', 'version of the code that trained it, for the record')
    .option('--runs <directory>', 'where the runs are (default IRONLAW_RUNS or ~/.ironlaw/runs)')
    .option('--seeded <n>', 'the source is a config.json: generate its weights from this seed, for measurements')
    .option('--python <command>', 'has PyTorch (default IRONLAW_PYTHON or /usr/bin/python3)')
    .addHelpText(
      'after',
      examples(
        'ironlaw export tiny-llama --config tiny.config.json --held-out held-out.txt --to models/tiny',
        'ironlaw export trained --to models/tiny --format gguf --quantise q8_0,q4_0',
      ),
    )
    .action(async (source: string, flags: ExportFlags) => {
      const command = await import('./export.ts')
      await command.exportModel(source, flags)
    })
}

function engine(): Command {
  return createCommand('engine')
    .description("serve a model behind OpenAI's API with llama.cpp: batches, prefix reuse, metrics under the names of vLLM")
    .requiredOption('--model <path>', 'what "ironlaw export" wrote, or a GGUF')
    .option('--weights <kind>', 'f32, f16, q8_0 or q4_0 (default: q8_0 where it is there)')
    .option('--id <name>', 'the name clients use (default: that of the version or the file)')
    .option('--host <address>', 'address to listen on (default 127.0.0.1)')
    .option('--port <n>', 'port to listen on (default 8000)')
    .option('--slots <n>', 'answers generated concurrently (default 8)')
    .option('--context <tokens>', 'context length, prompt and answer together (default: as trained, at most 4096)')
    .option('--threads <n>', 'number of threads, at most one per free core (default: all)')
    .option('--batch <tokens>', 'tokens of all prompts and answers in one step (default 512)')
    .option('--queue <n>', 'requests that may wait; more are refused with 503 (default: twice the slots)')
    .option('--drain-s <seconds>', 'how long running answers may finish after a signal (default 30)')
    .option('--no-embeddings', 'disable /v1/embeddings, which need a context of their own')
    .option('--log', 'log every request as a line of JSON')
    .addHelpText(
      'after',
      examples('ironlaw engine --model models/tiny --port 8000', 'ironlaw engine --model model.gguf --slots 16 --threads 2'),
    )
    .action(async ({ embeddings, ...flags }: ProgramFlags) => {
      const { startProgram } = await import('./start-program.ts')
      process.exitCode = await startProgram('@ironlaw/server/engine', { ...flags, noEmbeddings: embeddings === false })
    })
}

function gateway(): Command {
  return createCommand('gateway')
    .description("put OpenAI's API in front of engines: keys, quotas, budgets, routing, retries (docs/guides/gateway.md)")
    .option('--config <source>', 'the snapshot: a file or a URL, followed for changes (default gateway.json)')
    .option(
      '--control <url>',
      'get the snapshot of its deployments from this control plane instead. IRONLAW_TOKEN is the token; without one, an administrator whose context has this address gets one that lasts as long as the gateway runs',
    )
    .option('--id <name>', 'name of this gateway at the control plane (default: the host name)')
    .option('--state <directory>', 'directory for the last snapshot and the request log (default: the current one)')
    .option('--host <address>', 'address to listen on (default 127.0.0.1)')
    .option('--port <n>', 'for clients (default 8080)')
    .option('--admin-host <address>', 'address for health and metrics, separate from clients (default 127.0.0.1)')
    .option('--admin-port <n>', 'port for health and metrics (default 8081)')
    .option('--database <url>', 'PostgreSQL, for budgets (default IRONLAW_GATEWAY_DATABASE)')
    .option('--database-file <path>', 'file with that URL, so that its password is not on the command line')
    .option('--max-connections <n>', 'maximum client connections; further ones are closed at once (default 20000)')
    .option('--held-mib <n>', 'MiB of memory for request bodies and buffered answers, at most half of it for one tenant (default 512)')
    .option(
      '--max-snapshot-age-s <seconds>',
      'refuse requests when the configuration has not been confirmed for this long (default: never)',
    )
    .option('--drain-s <seconds>', 'how long running answers may finish after a signal (default 30)')
    .addHelpText(
      'after',
      examples(
        'ironlaw gateway --config gateway.json --port 8080',
        'ironlaw gateway --config gateway.json --database postgres://localhost/ironlaw',
        'ironlaw gateway --control http://127.0.0.1:7600 --id gateway-1',
      ),
    )
    .action(async ({ config, ...flags }: GatewayFlags) => {
      const { runGateway } = await import('./gateway.ts')
      process.exitCode = await runGateway({ ...flags, snapshot: config })
    })
}
