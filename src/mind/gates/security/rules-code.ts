/** Language constructs that run text as code, or that read data as code. */
import type { Severity } from '../../changes/finding.ts';

import { byArgument, byEveryArgument, isConstant, type SecurityRule, unlessConstant } from './rule.ts';

const WHAT_RUNS = 'runs text as code';
const SHELL = 'builds a shell command out of a variable: pass the arguments as a list, without a shell';

/** After the call's bracket: a template with a `${`, or a text and a variable joined. */
const JOINED =
  '(?:`[^`]{0,400}?\\$\\{|[\'"][^\'"\\n]{0,400}[\'"]\\s{0,20}\\+\\s{0,20}[^\\s\'"]|[\\w$.]{1,80}\\s{0,20}\\+\\s{0,20}[\'"`])';
/** The same in Python. */
const PYTHON_JOINED =
  '(?:[rRbB]?[fF][rRbB]?[\'"]{1,3}[^\'"\\n]{0,400}\\{|[\'"][^\'"\\n]{0,400}[\'"]\\s{0,20}(?:%(?!s)|\\+|\\.format\\()|[\\w.]{1,80}\\s{0,20}[+%]\\s{0,20}[\'"\\w])';

export const CODE_RULES: readonly SecurityRule[] = [
  {
    rule: 'eval',
    families: ['script'],
    pattern: /(?<![\w$.]|function\s)(?:(?:window|globalThis|global|self)\.)?eval\s{0,4}\(/g,
    severity: byArgument,
    message: `${WHAT_RUNS}: parse the data, or look the function up in a table`,
  },
  {
    rule: 'new-function',
    families: ['script'],
    pattern: /\bnew\s{1,4}Function\s{0,4}\(/g,
    severity: byEveryArgument,
    message: `${WHAT_RUNS}: write the function, or look it up in a table`,
  },
  {
    rule: 'timer-with-text',
    families: ['script'],
    pattern: /(?<![\w$])set(?:Timeout|Interval)\s{0,4}\(\s{0,20}['"`]/g,
    severity: 'medium',
    message: `${WHAT_RUNS}: pass a function`,
  },
  {
    rule: 'shell-command',
    families: ['script'],
    pattern: new RegExp(
      `(?<![\\w$.]|function\\s)(?:(?:child_process|childProcess|cp)\\.)?exec(?:Sync)?\\s{0,4}\\(\\s{0,40}${JOINED}`,
      'g',
    ),
    severity: 'high',
    message: SHELL,
  },
  {
    rule: 'shell-option',
    families: ['script'],
    pattern: /\b(?:spawn|spawnSync|execFile|execFileSync|fork)\s{0,4}\([^;]{0,300}?\bshell\s{0,4}:\s{0,4}true\b/g,
    severity: 'medium',
    message: 'hands its arguments to a shell, which reads signs in them: leave `shell` out',
  },
  {
    rule: 'vm-code',
    families: ['script'],
    pattern: /\bvm\.(?:runIn(?:This|New)?Context|compileFunction)\s{0,4}\(/g,
    severity: 'medium',
    message: `${WHAT_RUNS}, and Node's \`vm\` is no sandbox: parse the data instead`,
  },
  {
    rule: 'eval',
    families: ['python'],
    pattern: /(?<![\w.]|def\s)(?:eval|exec)\s{0,4}\((?!\s{0,4}\))/g,
    severity: byArgument,
    message: `${WHAT_RUNS}: use \`ast.literal_eval\` or a parser`,
  },
  {
    rule: 'shell-command',
    families: ['python'],
    pattern: /(?<![\w.])os\.(?:system|popen)\s{0,4}\(/g,
    severity: byArgument,
    message: 'runs a command through a shell: use `subprocess.run` with a list of arguments',
  },
  {
    rule: 'shell-option',
    families: ['python'],
    pattern:
      /\b(?:subprocess\.)?(?:run|call|check_call|check_output|Popen|getoutput|create_subprocess_shell)\s{0,4}\([^;]{0,400}?\bshell\s{0,4}=\s{0,4}True\b/g,
    severity: (match): Severity => (isConstant(match.slice(match.indexOf('(') + 1)) ? 'medium' : 'high'),
    message: 'runs a command through a shell: leave `shell=True` out and pass a list of arguments',
  },
  {
    rule: 'unsafe-deserialization',
    families: ['python'],
    pattern: /(?<![\w.])(?:c?[pP]ickle|dill|marshal|jsonpickle|shelve)\.(?:loads?|Unpickler|open|decode)\s{0,4}\(/g,
    severity: (match): Severity => (/\.(?:loads|decode)/.test(match) ? 'high' : 'medium'),
    message: 'reads data that can run code while it is read: use JSON or another format that is only data',
  },
  {
    rule: 'unsafe-yaml',
    families: ['python'],
    pattern:
      /(?<![\w.])yaml\.(?:unsafe_load|full_load|load)(?:_all)?\s{0,4}\((?![^)]{0,300}\bC?(?:Safe|Base)Loader\b)/g,
    severity: (match, after): Severity =>
      /full_load/.test(match) || /^[^)]{0,300}FullLoader/.test(after) ? 'medium' : 'high',
    message: 'reads YAML that can create objects of any class: use `yaml.safe_load`',
  },
  {
    rule: 'shell-command',
    families: ['go'],
    pattern:
      /\bexec\.Command(?:Context\(\s{0,4}\w{1,30}\s{0,4},|\()\s{0,20}"(?:\/bin\/|\/usr\/bin\/)?(?:ba|z|da)?sh"\s{0,4},\s{0,4}"-l?c"\s{0,4},/g,
    severity: unlessConstant,
    message: SHELL,
  },
  {
    rule: 'shell-command',
    families: ['java'],
    pattern: /\bgetRuntime\(\)\.exec\s{0,4}\(/g,
    severity: byArgument,
    message: 'runs a command that is split by a shell-like rule: use `ProcessBuilder` with a list of arguments',
  },
  {
    rule: 'unsafe-deserialization',
    families: ['java'],
    pattern: /\bnew\s{1,4}(?:ObjectInputStream|XMLDecoder|BinaryFormatter)\s{0,4}\(/g,
    severity: 'medium',
    message: 'reads data that can run code while it is read: use JSON or another format that is only data',
  },
  {
    rule: 'shell-command',
    families: ['rust'],
    pattern:
      /\bCommand::new\(\s{0,4}"(?:\/bin\/)?(?:ba|z|da)?sh"\s{0,4}\)\s{0,40}\.args?\(\s{0,4}&?\[?\s{0,4}"-c"\s{0,4}(?:,|\)\s{0,40}\.arg\()\s{0,20}&?/g,
    severity: (_match, after): Severity | null => (/^"(?:[^"\\]|\\.){0,400}"\s{0,4}[)\],]/.test(after) ? null : 'high'),
    message: SHELL,
  },
  {
    rule: 'eval',
    families: ['ruby'],
    pattern: /(?<![\w.:])(?:eval|instance_eval|class_eval)[\s(](?!\s{0,4}(?:do\b|\{|\|))/g,
    severity: byArgument,
    message: `${WHAT_RUNS}: call the method by its name, or parse the data`,
  },
  {
    rule: 'shell-command',
    families: ['ruby'],
    pattern:
      /(?<![\w.:])(?:system|exec|spawn|IO\.popen|Open3\.\w{3,12})[\s(]\s{0,4}"[^"\n]{0,300}#\{|`[^`\n]{0,300}#\{/g,
    severity: 'high',
    message: SHELL,
  },
  {
    rule: 'unsafe-deserialization',
    families: ['ruby'],
    pattern: /\b(?:Marshal\.load|YAML\.unsafe_load|Oj\.object_load)\b/g,
    severity: 'high',
    message: 'reads data that can run code while it is read: use JSON',
  },
  {
    rule: 'eval',
    families: ['php'],
    pattern: /(?<![\w$>:]|function\s)(?:eval|assert|create_function)\s{0,4}\((?=[^)]{0,200}\$)/g,
    severity: 'high',
    message: `${WHAT_RUNS}: parse the data instead`,
  },
  {
    rule: 'shell-command',
    families: ['php'],
    pattern:
      /(?<![\w$>:]|function\s)(?:system|exec|shell_exec|passthru|popen|proc_open)\s{0,4}\((?=[^;]{0,200}\$)(?!\s{0,4}escapeshell)/g,
    severity: 'high',
    message: 'builds a shell command out of a variable: use `escapeshellarg`, or no shell',
  },
  {
    rule: 'unsafe-deserialization',
    families: ['php'],
    pattern: /(?<![\w$>:]|function\s)unserialize\s{0,4}\(\s{0,4}\$/g,
    severity: 'high',
    message: 'reads data that can create any object: use `json_decode`',
  },
  {
    rule: 'shell-command',
    families: ['python'],
    pattern: new RegExp(
      `\\b(?:subprocess\\.get(?:status)?output|asyncio\\.create_subprocess_shell|commands\\.getoutput)\\s{0,4}\\(\\s{0,20}${PYTHON_JOINED}`,
      'g',
    ),
    severity: 'high',
    message: SHELL,
  },
];
