/** Arguments and flags that several commands share. */
export const TASK = [{ name: 'TASK', required: true }];
/** Without TASK: the newest one. */
export const NEWEST = [{ name: 'TASK', required: false }];
export const SCRIPT = { type: 'string', value: 'FILE', help: 'what the scripted worker plays, as YAML' } as const;
export const LIMIT = {
  type: 'string',
  value: 'KEY=VALUE',
  many: true,
  help: 'set a limit for this one command, such as budget.task_usd=2; may be given more than once',
} as const;
