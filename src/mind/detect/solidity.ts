/** Solidity with foundry; hardhat is a package of Node, and found there. */
import type { Found, Part } from './found.ts';

export function detectFoundry({ texts }: Found): Part | null {
  const settings = texts.get('foundry.toml');
  if (settings === undefined) return null;
  return {
    tool: 'forge',
    gate: { command: 'forge test --offline', ids: null, reason: 'foundry.toml is there' },
    checks: [
      { name: 'format', command: 'forge fmt --check', reason: 'it comes with forge', sure: false },
      { name: 'coverage', command: 'forge coverage', reason: 'it comes with forge', sure: false },
    ],
    environment: null,
    notes: /^[ \t]*solc[ \t]*=/m.test(settings)
      ? []
      : [
          'forge downloads a compiler where it has none, which a gate can not: name an installed one in foundry.toml (solc = "…")',
        ],
  };
}
