/** What a repository tells those who work on it: files that every worker gets to read, and others that could be named. */
import type { Found } from './found.ts';

export type Knowledge = {
  /** Read without a word of config. */
  readonly read: readonly string[];
  /** Written for the same purpose, but read only when `knowledge.paths` names them. */
  readonly more: readonly string[];
};

const READ = /^(?:AGENTS\.md|CLAUDE\.md|GEMINI\.md|docs\/knowledge\/.+)$/;
const MORE =
  /^(?:\.github\/copilot-instructions\.md|\.cursorrules|\.windsurfrules|\.clinerules|CONVENTIONS\.md|CONTRIBUTING\.md|ARCHITECTURE\.md)$/;

export const knowledgeOf = ({ paths }: Pick<Found, 'paths'>): Knowledge => ({
  read: paths.filter((path) => READ.test(path)),
  more: paths.filter((path) => MORE.test(path)),
});
