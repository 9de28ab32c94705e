/** One third of other people's rules may be looked at while own rules are written; it is told by the name alone. */
export function isDev(name: string): boolean {
  let sum = 0;
  for (const char of name) sum = (sum * 31 + char.charCodeAt(0)) >>> 0;
  return sum % 3 === 0;
}
