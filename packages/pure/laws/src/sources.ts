// Where the laws come from: the chapters of the textbook whose figures the worked examples recompute, and papers that are
// cited more than once. A source of a single law or file stands there.

const chapter1 = (name: string): string => `Machine Learning Systems vol. 1, ${name}`
const chapter2 = (name: string): string => `Machine Learning Systems vol. 2, ${name}`

export const vol1 = {
  algorithmFoundations: chapter1('Algorithm Foundations'),
  benchmarking: chapter1('Benchmarking'),
  dataEngineering: chapter1('Data Engineering'),
  dataSelection: chapter1('Data Selection'),
  introduction: chapter1('Introduction'),
  machineFoundations: chapter1('Machine Foundations'),
  mlFrameworks: chapter1('ML Frameworks'),
  mlOperations: chapter1('ML Operations'),
  mlSystems: chapter1('ML Systems'),
  mlWorkflow: chapter1('ML Workflow'),
  modelCompression: chapter1('Model Compression'),
  modelServing: chapter1('Model Serving'),
  modelTraining: chapter1('Model Training'),
  networkArchitectures: chapter1('Network Architectures'),
}

export const vol2 = {
  collectiveCommunication: chapter2('Collective Communication'),
  communicationFoundations: chapter2('Communication Foundations'),
  computeInfrastructure: chapter2('Compute Infrastructure'),
  dataStorage: chapter2('Data Storage'),
  distributedTraining: chapter2('Distributed Training'),
  edgeIntelligence: chapter2('Edge Intelligence'),
  faultToleranceAndReliability: chapter2('Fault Tolerance and Reliability'),
  fleetFoundations: chapter2('Fleet Foundations'),
  fleetOrchestration: chapter2('Fleet Orchestration'),
  inferenceAtScale: chapter2('Inference at Scale'),
  introduction: chapter2('Introduction'),
  mlOperationsAtScale: chapter2('ML Operations at Scale'),
  networkFabrics: chapter2('Network Fabrics'),
  performanceEngineering: chapter2('Performance Engineering'),
  responsibleEngineering: chapter2('Responsible Engineering'),
  robustAI: chapter2('Robust AI'),
  securityAndPrivacy: chapter2('Security and Privacy'),
  sustainableAI: chapter2('Sustainable AI'),
  systemAssumptions: chapter2('System Assumptions'),
}

export const ALLEN =
  'A. O. Allen, Probability, Statistics, and Queueing Theory with Computer Science Applications, 2nd ed., Academic Press 1990'
export const AMDAHL = 'G. M. Amdahl, Validity of the single processor approach to achieving large scale computing capabilities, AFIPS 1967'
export const BARLOW = 'R. E. Barlow, F. Proschan, Mathematical Theory of Reliability, 1965'
export const COHEN_KAPPA = 'J. Cohen, A Coefficient of Agreement for Nominal Scales, Educational and Psychological Measurement 20(1), 1960'
export const DALY = 'J. T. Daly, A higher order estimate of the optimum checkpoint interval for restart dumps, FGCS 22(3), 2006'
export const DWORK_ROTH = 'C. Dwork and A. Roth, The Algorithmic Foundations of Differential Privacy, 2014'
export const GOYAL = 'P. Goyal et al., Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour, 2017'
export const HARDT = 'M. Hardt, E. Price, N. Srebro, Equality of Opportunity in Supervised Learning, NIPS 2016'
export const KAPLAN = 'J. Kaplan et al., Scaling Laws for Neural Language Models, 2020'
export const KINGMAN = 'J. F. C. Kingman, The single server queue in heavy traffic, Proc. Cambridge Philosophical Society 57(4), 1961'
export const KOHAVI = 'R. Kohavi, D. Tang, Y. Xu, Trustworthy Online Controlled Experiments, Cambridge 2020'
export const MIRONOV = 'I. Mironov, Renyi Differential Privacy, CSF 2017'
export const PAGED = 'W. Kwon et al., Efficient Memory Management for Large Language Model Serving with PagedAttention, SOSP 2023'
export const THAKUR =
  'R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), 2005'
export const ZERO =
  'S. Rajbhandari, J. Rasley, O. Ruwase, Y. He, ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, SC 2020'
