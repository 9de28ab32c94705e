/** Finds the test files of a gate: without them, the gate must no longer pass. */
import { testMatcher } from '../candidates/test-paths.ts';
import { matcher } from '../fields/globs.ts';
import type { GateConfig } from '../gates/gate-config.ts';
import { commandsOf, type GateCommand, gateKind } from '../gates/kinds.ts';

/**
 * A gate of kind `command` counts as a test gate if its command names a test file or directory, if its canary names a
 * place for tests, or if it printed a runner's summary (`printedSummary`).
 */
export function testsOfGate(
  gate: GateConfig,
  paths: readonly string[],
  { testPaths, printedSummary }: { readonly testPaths: readonly string[]; readonly printedSummary: boolean },
): readonly string[] {
  const kind = gateKind(gate);
  if (kind !== 'tests' && kind !== 'command') return [];
  const own = ownTests(gate, paths);
  const tests = paths.filter(testMatcher(testPaths));
  const named = commandsOf(gate).some((command) => namesOneOf(command, tests));
  const counts = kind === 'tests' || own.length > 0 || printedSummary || named;
  return counts ? [...new Set([...tests, ...own])] : [];
}

/** Files beside the failing test that `canary: {file}` would plant. */
function ownTests({ canary }: GateConfig, paths: readonly string[]): readonly string[] {
  if (canary === undefined || canary === 'off') return [];
  return paths.filter(matcher([`/${canary.file.replaceAll('NAME', '*')}`]));
}

const WORDS = /[^\s'"`;|&<>()[\]{}=$!]+/g;

function namesOneOf(command: GateCommand, tests: readonly string[]): boolean {
  const line = typeof command === 'string' ? command : command.join(' ');
  const words = [...line.matchAll(WORDS)].map(([word]) => word.replace(/^(?:\.\/)+/, '').replace(/\/+$/, ''));
  return words.some((word) => {
    if (word.includes('*')) return word.includes('/') && tests.some(matcher([`/${word}`]));
    return tests.some((path) => path === word || path.startsWith(`${word}/`));
  });
}
