/** A commit as the bytes that git stores, and the pack that brings it into a repository. */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { WorkspaceError } from '../../engine/ports/workspace.ts';

type CommitFacts = {
  readonly tree: string;
  readonly parents: readonly string[];
  /** `Name <mail>`. */
  readonly author: string;
  readonly committer: string;
  /** Milliseconds. */
  readonly time: number;
  readonly message: string;
};

/** The same bytes as `git commit-tree`. */
export function commitBytes({ tree, parents, author, committer, time, message }: CommitFacts): Buffer {
  if (message.includes('\0'))
    throw new WorkspaceError('git_failed', 'git takes no NUL byte in the message of a commit: change the title');
  const at = `${Math.floor(time / 1000)} +0000`;
  const from = parents.map((parent) => `parent ${parent}\n`).join('');
  const head = `tree ${tree}\n${from}author ${author} ${at}\ncommitter ${committer} ${at}\n`;
  return Buffer.from(`${head}\n${message.trimEnd()}\n`);
}

/** All ids of a repository use one hash, so the tree's id shows which. */
export function commitId(bytes: Buffer, tree: string): string {
  return hashLike(tree).update(`commit ${bytes.length}\0`).update(bytes).digest('hex');
}

/** A pack of one commit (git help gitformat-pack), made without `pack-objects`. */
export function packOf(bytes: Buffer, tree: string): Buffer {
  const head = Buffer.from([...Buffer.from('PACK'), 0, 0, 0, 2, 0, 0, 0, 1]);
  const pack = Buffer.concat([head, objectHead(COMMIT, bytes.length), deflateSync(bytes)]);
  return Buffer.concat([pack, hashLike(tree).update(pack).digest()]);
}

const COMMIT = 1;

/** The type and the size: its lowest four bits first, then seven at a time. */
function objectHead(kind: number, size: number): Buffer {
  const bytes = [(kind << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

const hashLike = (id: string) => createHash(id.length === 64 ? 'sha256' : 'sha1');
