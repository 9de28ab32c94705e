/** The ten small repositories of `test/fixtures/samples`: what `init` must say about each, and a task to do in it. */
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { accepted } from '../real/task.ts';
import { World } from '../support/cli.ts';

const FOLDER = fileURLToPath(new URL('../fixtures/samples', import.meta.url));
export const sampleNames = (): string[] => readdirSync(FOLDER).sort();

export type Sample = {
  /** Name and command of each gate. */
  readonly gates: readonly (readonly [string, string])[];
  readonly packs: readonly string[];
  /** Roles of the plan's table that these packs bring. */
  readonly roles: readonly string[];
  /** Of what was found, by kind. */
  readonly stack: Readonly<Record<string, readonly string[]>>;
  /** Programs without which its gates cannot run. */
  readonly needs: readonly string[];
  /** A file, what a poor worker makes of it (the gate must see it), and what a good one does. */
  readonly task: { readonly file: string; readonly wrong: string; readonly right: string };
};

const NODE_TEST = [['tests', 'node --test --test-reporter=tap']] as const;

export const SAMPLES: Readonly<Record<string, Sample>> = {
  node: {
    gates: NODE_TEST,
    packs: [],
    roles: [],
    stack: { languages: ['JavaScript'], 'test runner': ['node:test'], packages: ['npm'] },
    needs: ['node', 'npm'],
    task: {
      file: 'src/total.js',
      wrong: 'export const total = () => 0;\n',
      right: 'export function total(prices) {\n  return prices.reduce((a, b) => a + b, 0);\n}\n',
    },
  },
  react: {
    gates: NODE_TEST,
    packs: ['web'],
    roles: ['ui_designer', 'component_builder', 'state_architect'],
    stack: { frameworks: ['React'], packages: ['npm'] },
    needs: ['node', 'npm'],
    task: {
      file: 'src/label.js',
      wrong: "export const label = (n) => n + ' items';\n",
      right: "export const label = (n) => n + (n === 1 ? ' item' : ' items');\n",
    },
  },
  python: {
    gates: [['tests', 'python3 -m unittest discover -s tests']],
    packs: ['data'],
    roles: ['data_engineer', 'schema_guard', 'etl_architect'],
    stack: { languages: ['Python'], frameworks: ['pandas', 'Airflow'], 'test runner': ['unittest'] },
    needs: ['python3'],
    task: {
      file: 'orders.py',
      wrong: 'def by_day(orders):\n    return dict(orders)\n',
      right:
        'from collections import Counter\n\n\ndef by_day(orders):\n    days = Counter()\n    for day, amount in orders:\n        days[day] += amount\n    return dict(days)\n',
    },
  },
  django: {
    gates: [['tests', '/env/venv/bin/python manage.py test']],
    packs: ['backend'],
    roles: ['backend_dev'],
    stack: { languages: ['Python'], frameworks: ['Django'], 'test runner': ['Django'], packages: ['pip'] },
    needs: ['python3'],
    task: {
      file: 'shop/prices.py',
      wrong: 'def with_tax(cents):\n    return cents\n',
      right: 'def with_tax(cents):\n    return cents * 119 // 100\n',
    },
  },
  go: {
    gates: [['tests', 'go test ./...']],
    packs: ['go'],
    roles: ['go_dev', 'concurrency_reviewer'],
    stack: { languages: ['Go'], 'test runner': ['go test'], packages: ['Go modules'] },
    needs: ['go'],
    task: {
      file: 'stock.go',
      wrong: 'package stock\n\nfunc Left(all, taken int) int { return all }\n',
      right: 'package stock\n\n// Left is what remains.\nfunc Left(all, taken int) int { return all - taken }\n',
    },
  },
  rust: {
    gates: [['tests', 'cargo test --offline --locked --no-fail-fast']],
    packs: ['rust'],
    roles: ['rust_dev', 'memory_safety_reviewer'],
    stack: { languages: ['Rust'], 'test runner': ['cargo test'], packages: ['cargo'] },
    needs: ['cargo', 'cc'],
    task: {
      file: 'src/lib.rs',
      wrong: 'pub fn grams(kilos: u32) -> u32 {\n    kilos * 100\n}\n',
      right: 'const GRAMS: u32 = 1000;\n\npub fn grams(kilos: u32) -> u32 {\n    kilos * GRAMS\n}\n',
    },
  },
  java: {
    gates: [['tests', 'make test']],
    packs: [],
    roles: [],
    stack: { languages: ['Java'] },
    needs: ['java', 'javac', 'make'],
    task: {
      file: 'src/shop/Discount.java',
      wrong:
        'package shop;\n\npublic final class Discount {\n    public static int of(int cents, int percent) { return cents; }\n}\n',
      right:
        'package shop;\n\npublic final class Discount {\n    public static int of(int cents, int percent) {\n        return cents * (100 - percent) / 100;\n    }\n}\n',
    },
  },
  solidity: {
    gates: [['tests', 'forge test --offline']],
    packs: ['smart_contracts'],
    roles: ['smart_contract_auditor'],
    stack: { languages: ['Solidity'], 'test runner': ['forge'] },
    needs: ['forge', 'solc'],
    task: {
      file: 'src/Vault.sol',
      wrong: 'pragma solidity ^0.8.20;\ncontract Vault {\n',
      right:
        'pragma solidity ^0.8.20;\ncontract Vault {\n    mapping(address => uint256) public balances;\n    function put() external payable { balances[msg.sender] += msg.value; }\n}\n',
    },
  },
  compose: {
    gates: NODE_TEST,
    packs: ['backend', 'databases'],
    roles: ['db_optimizer', 'backend_dev'],
    stack: { services: ['postgres'] },
    needs: ['node', 'npm'],
    task: {
      file: 'src/query.js',
      wrong: "export const byId = (table, id) => 'SELECT * FROM ' + table + ' WHERE id = ' + id;\n",
      right: "export const byId = (table) => ['SELECT id, amount FROM', table, 'WHERE id = $1'].join(' ');\n",
    },
  },
  monorepo: {
    gates: [
      ['tests', 'npm test --workspaces --if-present'],
      ['tests-python', 'cd services/rates && python3 -m unittest discover -s tests'],
    ],
    packs: ['web'],
    roles: ['ui_designer', 'component_builder', 'state_architect'],
    stack: { languages: ['JavaScript', 'Python', 'Vue'], frameworks: ['Vue'], packages: ['npm workspaces'] },
    needs: ['node', 'npm', 'python3'],
    task: {
      file: 'packages/cart/add.js',
      wrong: 'export const add = (cart) => cart;\n',
      right: 'export const add = (cart, item) => cart.concat([item]);\n',
    },
  },
};

/** A poor worker first, then a good one: the gate tells them apart, and the second change is what lands on the branch. */
export async function worksOn(
  world: World,
  { task: { file, wrong, right } }: Pick<Sample, 'task'>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const task = await accepted(world, [{ files: { [file]: wrong } }, { files: { [file]: right } }], [], env);
  expect(task).toMatchObject({ verified: true, steps: [{ attempts: 2 }] });
  expect(world.git('show', `${task.commit}:${file}`)).toBe(right.trim());
}

/** A copy of a sample as the first commit of a repository; `change` is made before. */
export function sampleWorld(name: string, change: (dir: string) => void = () => {}): World {
  const world = new World();
  cpSync(join(FOLDER, name), world.repository, { recursive: true });
  change(world.repository);
  world.commit({}, name);
  return world;
}

/** Those that are on no PATH here. */
export const missing = (programs: readonly string[], path: string): string[] =>
  programs.filter((program) => !path.split(delimiter).some((dir) => dir !== '' && existsSync(join(dir, program))));
