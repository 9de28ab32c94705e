/** What a value is by its form alone: names, paths, hosts, numbered things. */
import { surprise } from './ordinary.ts';

const WORD_BITS = 9;
/** Of few letters most are names of something. */
export const SHORT = 4;
export const UUID_INSIDE = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;
export const UUID = new RegExp(`^${UUID_INSIDE.source}$`, 'i');
/** `pvc-` and a UUID, `module-` and a commit: a thing that was given a number. */
const NUMBERED = /^[a-z][a-z0-9_.-]*-(?:[0-9a-f]{32,}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/;
/** Of files that are named in texts, with or without their folder. */
export const ENDINGS =
  '[cm]?[jt]sx?|css|json|map|html?|xml|ya?ml|toml|txt|md|png|jpe?g|gif|svg|ico|webp|woff2?|ttf|pdf|zip|tar|gz|tgz|jar|whl|so|wasm|sas7bdat';
const FILE = new RegExp(`\\.(?:${ENDINGS})$`);
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+\.(?:com|net|org|io|dev|internal|local)$/;

/** A piece of ordinary text, by its letters. */
export const isWord = (piece: string): boolean => surprise(piece) < Math.max(WORD_BITS, piece.length / 2);

/** `app-6d58c9e6e3b5.css`, `db.c2g2e2w3.eu-1.example.net`: a file with its sum in its name, a host with a number. */
export const isFileOrHost = (value: string): boolean => FILE.test(value) || HOST.test(value);

export const isPath = (value: string): boolean => /[/.]\w{1,5}$|^[\w.-]+\//.test(value);
/** `/var/run/acme/3df878d8ed31`; base64 may begin with a stroke, but has no words between strokes. */
export const isFullPath = (value: string): boolean => /^\/(?:[a-z][a-z0-9_.-]*\/){2,}[\w.-]*$/.test(value);

const LONG_HEX = /^(?=.*[a-f])(?=.*\d)[0-9a-f]{32,}$/i;
const DIGIT_INSIDE = /^[a-z]+\d+[a-z]{2,}$/;

/** Names joined by signs: of a module, a host, a constant. */
export function isNames(value: string): boolean {
  if (UUID.test(value) || !/[/._-]/.test(value)) return false;
  return value
    .split(/[^A-Za-z0-9]+/)
    .every((piece) => piece.length <= SHORT || (!LONG_HEX.test(piece) && !DIGIT_INSIDE.test(piece) && isWord(piece)));
}

/** Drawings, versions, lists of numbers, paths: many signs between short pieces. */
export function isStructured(whole: string): boolean {
  const value = whole.slice(0, 200);
  if (UUID.test(value)) return false;
  const signs = value.replaceAll(/[A-Za-z0-9]/g, '').length;
  return (
    signs * 5 > value.length ||
    isNames(value) ||
    NUMBERED.test(value) ||
    /^[a-z]+\.[a-z]+\.|^0x|^sha\d+[:-]/i.test(value) ||
    /^[\dMmLlHhVvCcSsQqTtAaZz.,-]+$/.test(value)
  );
}
