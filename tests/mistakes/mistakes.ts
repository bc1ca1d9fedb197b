// The mistakes that people make, each as the command that makes it. In a command {api} is the port of a control plane that runs, {busy} one
// that another process uses, {free} one that nobody uses, {database} one where a PostgreSQL server was stopped, {run} the id of a run.

export type Mistake = {
  /** As in the review that first listed them; letters are of one mistake in several forms. */
  readonly id: string
  readonly mistake: string
  /** A line for the shell, run in a folder with the files of files.ts. */
  readonly command: string
  /** In a terminal: keys that are pressed once something is on the screen, or a file is there. */
  readonly keys?: { readonly press: string; readonly after: RegExp | { readonly file: string } }
  /** What must be there for it to be made. */
  readonly needs?: 'control plane' | 'PostgreSQL' | 'PyTorch'
}

const CTRL_C = '\u0003'
const PLAN = 'ironlaw plan --model Llama-3.1-8B --gpus 8 --on h100-sxm'
const TINY = '--with reference-trainer/fleet.yaml'

const PLANNING: readonly Mistake[] = [
  { id: '1', mistake: 'a flag is misspelt', command: `${PLAN} --tokns 1T` },
  { id: '2', mistake: 'a command is misspelt', command: 'ironlaw pln' },
  { id: '3', mistake: 'no such accelerator', command: 'ironlaw plan --model Llama-3.1-8B --gpus 8 --on h10 --tokens 1T' },
  { id: '4', mistake: 'the model does not fit', command: 'ironlaw plan --model Llama-3.1-405B --gpus 8 --on h100-sxm --tokens 1T' },
  { id: '5', mistake: 'flags are missing', command: 'ironlaw plan --model Llama-3.1-8B --on h100-sxm' },
  { id: '6', mistake: 'a number of tokens in bytes', command: `${PLAN} --tokens 15.6TB` },
  { id: '7', mistake: 'a number in words', command: 'ironlaw plan --model Llama-3.1-8B --gpus eight --on h100-sxm --tokens 1T' },
  { id: '8', mistake: 'the name of a file is misspelt', command: 'ironlaw plan trian.yaml' },
  { id: '9', mistake: 'wrong indentation in YAML', command: 'ironlaw plan indentation.yaml' },
  { id: '10', mistake: 'a tab in YAML', command: 'ironlaw plan tab.yaml' },
  { id: '11', mistake: 'a field in another spelling (global_batch)', command: 'ironlaw plan snake-case.yaml' },
  { id: '11b', mistake: 'several fields are wrong', command: 'ironlaw plan several.yaml' },
  { id: '12', mistake: 'kind: Training', command: 'ironlaw plan kind.yaml' },
  {
    id: '12b',
    mistake: 'a serving spec where a training spec is expected',
    command: 'ironlaw plan diff serve.yaml train.yaml',
  },
  { id: '13', mistake: 'a bandwidth in GB (link: 100GB)', command: 'ironlaw plan link.yaml' },
  { id: '15', mistake: 'a precision that the accelerator does not have', command: 'ironlaw plan train.yaml --on a100 --precision fp8' },
  { id: '16', mistake: 'a strategy that divides nothing (tensor: 3)', command: 'ironlaw plan tensor.yaml' },
  { id: '17', mistake: 'a deadline that cannot be met', command: 'ironlaw plan deadline.yaml' },
  { id: '18', mistake: 'no such export', command: 'ironlaw plan train.yaml --export jax' },
  { id: '19', mistake: 'a plan given as a spec', command: 'ironlaw plan before.plan.json' },
  { id: '40', mistake: 'no such law', command: 'ironlaw law reliability/young-dale' },
  { id: '40b', mistake: 'an input of a law is missing', command: 'ironlaw law reliability/young-daly --write-time 2min' },
  { id: '40c', mistake: 'an input of a law in the wrong unit', command: 'ironlaw law reliability/young-daly --write-time 2GB --mtbf 4h' },
  { id: '32', mistake: 'the disk is full', command: 'ironlaw catalog h100-sxm > /dev/full' },
]

const STARTING: readonly Mistake[] = [
  { id: '20', mistake: 'no control plane runs', command: 'HOME=empty ironlaw get' },
  {
    id: '20b',
    mistake: 'the control plane was stopped',
    command: 'IRONLAW_API=http://127.0.0.1:{free} IRONLAW_TOKEN=il_any ironlaw get',
  },
  { id: '22', mistake: 'the port of the control plane is in use', command: 'ironlaw up --listen 127.0.0.1:{busy}' },
  { id: '23', mistake: 'the port of the gateway is in use', command: 'ironlaw gateway --config edge.json --state edge --port {busy}' },
  {
    id: '24',
    mistake: 'PostgreSQL does not run',
    command: 'ironlaw up --listen 127.0.0.1:{free} --database postgres://postgres@127.0.0.1:{database}/ironlaw',
    needs: 'PostgreSQL',
  },
  { id: '26', mistake: 'the gateway has no configuration', command: 'ironlaw gateway' },
  {
    id: '28',
    mistake: 'Slurm is not installed',
    command: 'PATH=$PATH_WITHOUT_SLURM ironlaw up --executor slurm --listen 127.0.0.1:{free}',
  },
  { id: '29', mistake: 'an address without a host', command: 'ironlaw up --listen 7601' },
  { id: '39', mistake: 'no gateway runs', command: 'ironlaw bench serve chat --gateway http://127.0.0.1:{free} --key sk-any' },
  { id: '39b', mistake: 'no key for the gateway', command: 'ironlaw chat chat' },
]

const OPERATING: readonly Mistake[] = (
  [
    { id: '21', mistake: 'a wrong token', command: 'IRONLAW_TOKEN=il_wrong ironlaw get' },
    {
      id: '25',
      mistake: 'the gateway has a wrong token',
      command: 'IRONLAW_TOKEN=il_wrong ironlaw gateway --id gateway-1 --control http://127.0.0.1:{api} --port {free}',
    },
    { id: '27', mistake: 'a second control plane on the same database', command: 'ironlaw up --listen 127.0.0.1:{free}' },
    {
      id: '30',
      mistake: 'the log of a rank that a job does not have',
      command: 'ironlaw apply waits.yaml -y --detach && until ironlaw logs waits | grep -q ready; do :; done; ironlaw logs waits --rank 9',
    },
    { id: '31', mistake: 'the program is on no node', command: 'ironlaw apply absent.yaml -y' },
    { id: '37', mistake: 'cancel -y of a run that is not there', command: 'ironlaw cancel -y nothing' },
    { id: '38', mistake: 'apply without a terminal', command: `ironlaw apply sleep.yaml ${TINY} < /dev/null` },
    {
      id: '33',
      mistake: 'Ctrl-C at the question',
      command: `ironlaw apply sleep.yaml ${TINY}`,
      keys: { press: CTRL_C, after: /run it\? \[y\/N\]/ },
    },
    {
      id: '34',
      mistake: 'Ctrl-C while following a run',
      command: `ironlaw apply sleep.yaml ${TINY} -y`,
      keys: { press: CTRL_C, after: /starting|running/ },
    },
  ] as const
).map((each) => ({ ...each, needs: 'control plane' }))

const MEASURING: readonly Mistake[] = [
  {
    id: '35',
    mistake: 'Ctrl-C in an export',
    command: 'ironlaw export reference-trainer/tiny.config.json --seeded 1 --to model',
    keys: { press: CTRL_C, after: { file: 'model' } },
    needs: 'PyTorch',
  },
  {
    id: '36',
    mistake: 'Ctrl-C in a calibration',
    command: 'ironlaw calibrate --on reference-trainer/fleet.yaml --local --quick',
    keys: { press: CTRL_C, after: /1 measured/ },
    needs: 'PyTorch',
  },
]

export const MISTAKES: readonly Mistake[] = [...PLANNING, ...STARTING, ...OPERATING, ...MEASURING].toSorted(
  (one, other) => Number.parseInt(one.id, 10) - Number.parseInt(other.id, 10) || one.id.localeCompare(other.id),
)
