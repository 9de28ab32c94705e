/** Finds removed licence and copyright lines. */

import { isCode } from '../code/languages.ts';
import { nameOf } from '../code/paths.ts';
import { type FindingRule, type Hit, quoted } from './rule.ts';
import { REMOVAL, REWORK } from './task-words.ts';

const LINE =
  /\bcopyright\b.{0,20}(?:\d{4}|\(c\)|©|\bby\b)|(?:©|\(c\))\s{0,3}\d{4}|\bSPDX-(?:License-Identifier|FileCopyrightText)\b|\blicen[sc]ed under\b|\b(?:MIT|BSD|Apache|ISC|MPL|GPL|LGPL)[\w .-]{0,12} licen[sc]e[ds]?\b|\ball rights reserved\b|\buse of this source code is governed\b|\blicen[sc]e, version \d/i;
const COMMENT = /^\s{0,20}(?:\/\/|\/?\*|#|--|;|"{3}|'{3}|<!--|%|@license)|^\s{0,8}[^\w\s]?\s{0,4}copyright\b/i;
const LICENCE_FILE = /^(?:licen[sc]e|copying|notice|copyright|unlicense|authors|patents)(?:[.-][\w.-]{1,30})?$/i;
const ASKED = /\b(?:licen[sc]\w*|copyright\w*|spdx|headers?|notice|year)\b/i;

export const keptLines: FindingRule = ({ files, words, isGranted }) => {
  const asked =
    words.asks(ASKED) &&
    (words.asks(REMOVAL) ||
      words.asks(REWORK) ||
      words.asks(/\b(?:updat|chang|bump|relicens|year|licen[sc]|copyright)\w*/i));
  return files.flatMap((file): Hit[] => {
    const { path } = file;
    const { before, after } = file.file;
    const isLicence = LICENCE_FILE.test(nameOf(path));
    if (before === null || file.isTest || !(isLicence || isCode(path))) return [];
    const blocks = !asked && !isGranted(path);
    const severity = blocks ? 'high' : 'medium';
    if (after === null) {
      const isTop = !path.includes('/');
      const moved = files.some((other) => other.file.before === null && LICENCE_FILE.test(nameOf(other.path)));
      if (!isLicence || moved || /^authors/i.test(nameOf(path))) return [];
      return [
        {
          rule: 'licence-removed',
          severity: isTop ? severity : 'medium',
          path,
          line: null,
          message: 'The licence file is deleted: restore it',
          blocks: isTop && blocks,
        },
      ];
    }
    const speaks = ({ text }: { readonly text: string }): boolean =>
      LINE.test(text.slice(0, 400)) && (isLicence || COMMENT.test(text));
    const gone = file.removed.filter(speaks);
    const [first] = gone;
    if (first === undefined || gone.length <= file.added.filter(speaks).length) return [];
    const message = `A licence or copyright line is gone (${quoted(first.text)}): restore it`;
    return [{ rule: 'licence-removed', severity, path, line: null, message, blocks }];
  });
};
