/** Passwords in options of commands, and in lines of login files. */

import { isHumanPassword, isWordAsPassword } from './human-password.ts';
import type { SecretSpan } from './secret-span.ts';

/** The programs whose option with this letter is a password, and whether it may or must be glued to the letter. */
const OPTIONS: Readonly<Record<string, readonly { readonly program: RegExp; readonly gap: RegExp }[]>> = {
  p: [
    { program: program('mysql\\w*|mariadb[\\w-]*|7z\\w*|unrar|rar'), gap: /["']?/y },
    { program: program('sshpass'), gap: /[ \t]*["']?/y },
    { program: program('user(?:add|mod)'), gap: /[ \t]+["']?/y },
    {
      program: program('mongo\\w*|(?:docker|podman|helm|oras|nerdctl|buildah)[^\\n|;&]{0,60} login'),
      gap: /[ \t]+["']?/y,
    },
  ],
  P: [{ program: program('sqlcmd|bcp|zip|unzip|ipmitool|mosquitto_\\w+'), gap: /[ \t]*["']?/y }],
  k: [{ program: program('openssl[ \\t]+(?:enc|aes\\S*|des\\S*|cms|smime)'), gap: /[ \t]+["']?/y }],
  U: [
    { program: program('(?:smb\\w+|rpcclient|winexe|net|nmblookup|cifsdd)'), gap: /[ \t]*["']?[\w./\\@-]{1,64}%/y },
    { program: program('curl'), gap: /[ \t]*["']?[\w.@-]{1,64}:/y },
  ],
  u: [{ program: program('lftp'), gap: /[ \t]*["']?[\w.@-]{1,64},/y }],
  A: [{ program: program('snmp\\w+'), gap: /[ \t]+["']?/y }],
  X: [{ program: program('snmp\\w+'), gap: /[ \t]+["']?/y }],
  a: [{ program: program('redis-cli'), gap: /[ \t]+["']?/y }],
  w: [{ program: program('ldap\\w+'), gap: /[ \t]*["']?/y }],
};
const REACH = 200;
const VALUE = /[^\s"'`]{6,100}/y;

/** Earlier in the same command. */
function program(names: string): RegExp {
  return new RegExp(`(?:^|[\\s;&|("'\`/])(?:${names})[ \\t][^\\n|;&]*$`);
}

/** Called at words that start with a dash: `at` is the letter of the option. */
export function optionPassword(text: string, at: number): SecretSpan | null {
  if (text[at] === 'S' && /^[ \t]/.test(text[at + 1] ?? '')) return pipedPassword(text, at - 1);
  const known = OPTIONS[text[at] ?? ''];
  if (known === undefined || !/[\s"'`]/.test(text[at - 2] ?? '')) return null;
  const head = text.slice(Math.max(0, at - REACH), at - 1);
  for (const one of known) {
    if (!one.program.test(head)) continue;
    one.gap.lastIndex = at + 1;
    if (!one.gap.test(text)) continue;
    return chosenAt(text, one.gap.lastIndex);
  }
  return null;
}

const PIPED =
  /(?:echo(?:[ \t]+-n)?|printf(?:[ \t]+["']?%s(?:\\n)?["']?)?)[ \t]+(["']?)([^\s"'`|]{6,100})\1[ \t]*\|[ \t]*(?:sudo[ \t]+(?:-\w+[ \t]+){0,4}|[^|;&\n]{1,120})$/;

/** `echo PASSWORD | sudo -S …`, `echo PASSWORD | docker login --password-stdin`; the option starts at `from`. */
export function pipedPassword(text: string, from: number): SecretSpan | null {
  const start = Math.max(0, from - REACH);
  const head = text.slice(start, from);
  const found = PIPED.exec(head);
  const value = found?.[2];
  return found === null || value === undefined
    ? null
    : chosenAt(text, start + found.index + found[0].indexOf(value, found[0].search(/\s/)));
}

const HTPASSWD =
  /[ \t]+-[a-zA-Z]*b[a-zA-Z]*(?:[ \t]+-\w+)*(?:[ \t]+(?!-)\S{1,200})?[ \t]+[^\s:]{1,80}[ \t]+["']?(?=[^\s"']{6,100}["']?[ \t]*(?:[\n|;&>]|$))/y;

/** `htpasswd -b FILE USER PASSWORD`; `at`: after its name. */
export function htpasswdPassword(text: string, at: number): SecretSpan | null {
  HTPASSWD.lastIndex = at;
  return HTPASSWD.test(text) ? chosenAt(text, HTPASSWD.lastIndex) : null;
}

const ECHOED = /(?:echo|printf)[ \t]+["']?[\w.-]{1,40}:([^\s"'`]{6,100}?)(?:\\n)?["']?[ \t]*\|[ \t]*(?:sudo[ \t]+)?$/;

/** `chpasswd <<< USER:PASSWORD`, and the first line of a here-document. */
const FED = /(?:[ \t]+-\w+)*[ \t]*(?:<<<[ \t]*["']?|<<-?[ \t]*["']?\w{1,20}["']?[ \t]*\r?\n[ \t]*)[\w.-]{1,40}:/y;

/** `echo USER:PASSWORD | chpasswd`; the name starts at `from`. */
export function chpasswdPassword(text: string, from: number): SecretSpan | null {
  const start = Math.max(0, from - REACH);
  const head = text.slice(start, from);
  const value = ECHOED.exec(head)?.[1];
  if (value !== undefined) return chosenAt(text, start + head.lastIndexOf(`:${value}`) + 1, true);
  FED.lastIndex = from + 'chpasswd'.length;
  return FED.test(text) ? chosenAt(text, FED.lastIndex, true) : null;
}

const PGPASS = /:(?:[^\s:\\]{1,64}):[^\s:\\]{1,64}:(?=[^\s:"'`]{6,100}[ \t]*(?:\r?\n|$))/y;
const PGPASS_HEAD = /(?:^|\n)[^\s:]{1,255}:$/;

/** `host:port:database:user:password`, alone on its line; the port is from `from` to `at`. */
export function pgpassPassword(text: string, from: number, at: number): SecretSpan | null {
  PGPASS.lastIndex = at;
  if (!PGPASS.test(text) || !PGPASS_HEAD.test(text.slice(Math.max(0, from - 256), from))) return null;
  return chosenAt(text, PGPASS.lastIndex);
}

const HASHED = /(?:apr1|1|2[abxy]|5|6|y|argon2id?)\$[\w./$+=,-]{20,200}/y;

/** `user:$apr1$…`, at the start of a line, as in htpasswd and shadow; `from`: after the first `$`. */
export function hashedPassword(text: string, from: number): SecretSpan | null {
  HASHED.lastIndex = from;
  if (!HASHED.test(text) || !/(?:^|\n)[\w.@-]{1,64}:\$$/.test(text.slice(Math.max(0, from - 68), from))) return null;
  return { from: from - 1, to: HASHED.lastIndex, rule: 'password' };
}

/** `certain`: only a password can be there. */
function chosenAt(text: string, at: number, certain = false): SecretSpan | null {
  VALUE.lastIndex = at;
  const value = VALUE.exec(text)?.[0];
  return value !== undefined && (isHumanPassword(value) || (certain && isWordAsPassword(value)))
    ? { from: at, to: at + value.length, rule: 'password' }
    : null;
}
