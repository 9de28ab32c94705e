/** Whether the terminal understands more than lines. */
export function isPlainTerminal(env: NodeJS.ProcessEnv = process.env): boolean {
  return (env['TERM'] || 'dumb') === 'dumb';
}
