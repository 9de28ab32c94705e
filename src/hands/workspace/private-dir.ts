/** Supervisor's own git directory for a project: outside of every sandbox, with our configuration and nothing else. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkspaceError } from '../../engine/ports/workspace.ts';
import { removeTree } from '../../os/files/remove-tree.ts';
import { tryGit } from '../../os/git/git.ts';
import { type GitContext, inUserRepository } from './context.ts';
import { failure } from './must-git.ts';
import { settle } from './notes.ts';

/** Overrides every .gitattributes of a tree: bytes are stored as they are, and no driver is ever used. */
const ATTRIBUTES =
  '* -text -crlf !eol -ident -filter -working-tree-encoding !diff !merge !whitespace -export-ignore -export-subst\n';

/** Makes or repairs the directory; every file has one right content, so repeating it is harmless. */
export async function openPrivateDir(context: GitContext): Promise<void> {
  const { privateDir, commonDir } = context;
  if (commonDir.includes('\n')) {
    throw new WorkspaceError('unsupported_repository', 'the path of the repository holds a line break: move it');
  }
  // All ids of a repository share it, so it never changes.
  context.known.format ??= await formatOf(context);
  for (const part of ['', 'info', 'objects', 'objects/info', 'refs', 'scratch']) {
    mkdirSync(join(privateDir, part), { recursive: true, mode: 0o700 });
  }
  chmodSync(privateDir, 0o700);
  const files = {
    HEAD: 'ref: refs/heads/none\n',
    config: configOf(context.known.format),
    'info/attributes': ATTRIBUTES,
    'objects/info/alternates': `${join(commonDir, 'objects')}\n`,
  };
  for (const [name, text] of Object.entries(files)) keep(join(privateDir, name), text);
  settle(context);
}

async function formatOf(context: GitContext): Promise<string> {
  const { commonDir, owner } = context;
  const { code, stdout, stderr } = await tryGit(['rev-parse', '--show-object-format'], inUserRepository(context));
  if (code !== 0 && owner !== null && /ermission denied|cannot change to/.test(stderr)) {
    throw new WorkspaceError(
      'unsupported_repository',
      `the repository belongs to user ${owner.uid}, who cannot enter ${commonDir}: open the directories above it`,
    );
  }
  if (code !== 0) throw failure('looking at the repository', stderr);
  return stdout.trim();
}

/**
 * A private directory for objects and an index; removed when `use` and all background work that `hold`s it are done.
 */
export async function withScratch<T>(
  context: GitContext,
  name: string,
  use: (scratch: string, hold: (work: Promise<unknown>) => void) => Promise<T>,
): Promise<T> {
  const scratch = mkdtempSync(join(context.privateDir, 'scratch', `${name}-`));
  const held: Promise<unknown>[] = [];
  try {
    mkdirSync(join(scratch, 'objects', 'info'), { recursive: true, mode: 0o700 });
    writeFileSync(join(scratch, 'objects', 'info', 'alternates'), `${join(context.commonDir, 'objects')}\n`);
    return await use(scratch, (work) => held.push(work));
  } finally {
    if (held.length === 0) await removeTree(scratch);
    // A directory that cannot be deleted then stays for the next sweep.
    else
      context.background.add(
        Promise.allSettled(held)
          .then(() => removeTree(scratch))
          .catch(() => {}),
      );
  }
}

/** `protectHFS` and `protectNTFS` refuse names that another file system reads as `.git`. */
const configOf = (format: string): string => `[core]
	repositoryformatversion = 1
	bare = false
	filemode = true
	symlinks = true
	ignorecase = false
	autocrlf = false
	protectHFS = true
	protectNTFS = true
	logAllRefUpdates = false
[extensions]
	objectFormat = ${format}
`;

function keep(path: string, text: string): void {
  try {
    if (readFileSync(path, 'utf8') === text) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  writeFileSync(path, text, { mode: 0o600 });
}
