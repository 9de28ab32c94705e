/** Shared by the readers of scanners' reports: strict about the whole, lenient about fields that no rule needs. */
import type { Severity } from '../../changes/finding.ts';
import type { SecurityFinding } from './security-finding.ts';

export type ScanReport =
  | { readonly type: 'findings'; readonly findings: readonly SecurityFinding[] }
  /** The scanner did not run, did not finish, or wrote something else. `problem` follows "the report". */
  | { readonly type: 'unusable'; readonly problem: string };

export type JsonObject = { readonly [key: string]: unknown };

const MAX_REPORT = 64 << 20;

export const unusable = (problem: string): ScanReport => ({ type: 'unusable', problem });

/** The value, or a description of the problem. A truncated report is no JSON. */
export function reportJson(text: string): object | string {
  if (text.length > MAX_REPORT) return `is larger than ${MAX_REPORT >> 20} MiB`;
  if (text.trim() === '') return 'is empty';
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : 'is neither an object nor a list';
  } catch {
    return 'is no whole JSON: it was cut off, or another program wrote it';
  }
}

export const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const listOf = (value: unknown): readonly unknown[] | null => (Array.isArray(value) ? value : null);

export function recordAt(value: unknown, key: string): JsonObject | null {
  const inner = isRecord(value) && Object.hasOwn(value, key) ? value[key] : null;
  return isRecord(inner) ? inner : null;
}

export function textAt(value: unknown, key: string): string | null {
  const inner = isRecord(value) && Object.hasOwn(value, key) ? value[key] : null;
  return typeof inner === 'string' ? inner : null;
}

/** A non-negative integer. */
export function numberAt(value: unknown, key: string): number | null {
  const inner = isRecord(value) && Object.hasOwn(value, key) ? value[key] : null;
  return typeof inner === 'number' && Number.isSafeInteger(inner) && inner >= 0 ? inner : null;
}

/** The bands of CVSS 3 and 4. Null for no score. */
export function severityOfScore(score: unknown): Severity | null {
  const value =
    typeof score === 'number' ? score : typeof score === 'string' && score !== '' ? Number(score) : Number.NaN;
  if (!(value >= 0 && value <= 10)) return null;
  if (value >= 9) return 'critical';
  if (value >= 7) return 'high';
  if (value >= 4) return 'medium';
  return value > 0 ? 'low' : 'info';
}

/** Where the candidate is in the sandbox. */
const ROOT = '/workspace/';

export function relativePath(uri: string): string {
  let path = uri;
  if (path.startsWith('file:')) {
    path = path.replace(/^file:(?:\/\/[^/]{0,200})?/, '');
    try {
      path = decodeURIComponent(path);
    } catch {
      // A name that contains a per cent sign.
    }
  }
  return path.startsWith(ROOT) ? path.slice(ROOT.length) : path.replace(/^(?:\.\/)+/, '');
}
