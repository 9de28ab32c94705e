/** Reads the output of a failed preparation: its first error, and whether it failed for lack of a network. */

/** Lines that start an error in the output of package managers and shells. */
const ERROR_LINES = [
  /^npm (?:error|ERR!) ./,
  /^\s?ERR_[A-Z]/,
  /^(?:error|fatal|panic)\b(?! ?\()[:! [\]A-Z0-9]/i,
  /^\[ERROR\] /,
  /^go: (?!downloading |finding |extracting |added |upgraded |downgraded |creating |warning)/,
  /^E: /,
  /^[×✘✖] /,
  /: (?:command )?not found$/,
  /^[\w.+/-]+: .*(?:No such file or directory|Permission denied)/i,
];
const MOST_LINES = 3;

/** The first error line and what follows it, at most three lines. If no line looks like an error: the last three. */
export function errorText(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => !/^(?:npm (?:error|ERR!))?$/.test(line));
  const first = lines.findIndex((line) => ERROR_LINES.some((one) => one.test(line)));
  const shown = first === -1 ? lines.slice(-MOST_LINES) : lines.slice(first, first + MOST_LINES);
  return shown.map((line) => line.trim()).join(' | ');
}

/** How managers say that something is not available locally. A false match only costs a second try. */
const OFFLINE = [
  /ENOTCACHED|EAI_AGAIN|ENOTFOUND|ENETUNREACH|only-if-cached/,
  /No matching distribution|[Cc]ould not resolve|[Nn]o such host|[Nn]ame or service not known|[Nn]ame resolution/,
  /[Nn]etwork is unreachable|[Nn]etwork connectivity is disabled|UnknownHost|[Uu]nknown host/,
  // Go without a proxy, and with the cache as its proxy.
  /module lookup disabled by GOPROXY=off/,
  /reading file:\/\/\S{1,500}: no such file or directory/,
  /(?<!--prefer-)\boffline\b|NO_OFFLINE/i,
];

export const wantedNetwork = (output: string): boolean => OFFLINE.some((one) => one.test(output));
