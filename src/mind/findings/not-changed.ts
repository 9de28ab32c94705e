/** Files that a change should have touched: those that the worker claims, and the sources of generated ones. */
import type { Hit, Rule } from './rule.ts';

const plain = (path: string): string => path.replace(/^(?:\.\/)+/, '').replace(/\/+/g, '/');

export const claimedOnly: Rule = ({ files, claims }) => {
  const changed = new Set(files.map(({ path }) => path));
  return [...new Set(claims.map(plain))]
    .filter((path) => path !== '' && !changed.has(path))
    .map(
      (path): Hit => ({
        rule: 'claim-not-changed',
        severity: 'low',
        path,
        line: null,
        message: 'The worker says that it changed this file, and the file is as it was',
        blocks: false,
      }),
    );
};

export const generatedAlone: Rule = ({ files, generated }) => {
  const changed = new Set(files.map(({ path }) => path));
  return files.flatMap(({ path }): Hit[] => {
    const source = generated(path);
    if (source === null || source === path || changed.has(source)) return [];
    const message = `This file is generated from ${source.slice(0, 160)}, which did not change: change the source and generate again`;
    return [{ rule: 'generated-edited', severity: 'medium', path, line: null, message, blocks: false }];
  });
};
