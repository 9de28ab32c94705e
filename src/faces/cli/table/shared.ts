/** Arguments and flags that several commands share. */
export const TASK = [{ name: 'TASK', required: true }];
/** Without TASK, the newest one is meant. */
export const NEWEST = [{ name: 'TASK', required: false }];
export const SCRIPT = { type: 'string', value: 'FILE', help: 'what the scripted worker plays, as YAML' } as const;
