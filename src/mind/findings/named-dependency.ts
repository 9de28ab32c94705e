/** Whether a clause names a package. Names that are everyday words need words beside them that only a package has. */

/** Package names that occur in tasks for other reasons. */
const EVERYDAY: ReadonlySet<string> = new Set(
  (
    'test tests request requests express debug events path url util utils async core config log logger logging cache queue ' +
    'color colors colour chalk commander got open send body cookie cookies session sessions router route routes static ' +
    'common base main index server client http https crypto stream buffer string strings number math date time timer ' +
    'array list map set object json yaml xml csv html css markdown parser parse lexer build builder make watch watcher ' +
    'format formatter lint linter check checker validate validator validation schema model models view views form forms ' +
    'table chart graph tree node react vue next nest angular lodash-es attrs click flask black rich typing types type ' +
    'errors error result option either helper helpers tool tools command commands cli args arguments flags options ' +
    'prompt prompts table progress spinner glob match pattern patterns retry limit throttle delay wait clock mock mocks ' +
    'fake spy stub expect assert should chance faker random uuid id ids hash auth login user users mail email message ' +
    'messages text image images file files fs zip tar archive data db database store storage redis mongo sql query ' +
    'promise promises callback state machine worker workers thread pool process proxy socket sockets ws ping once serve ' +
    'rand regex serde log4j anyhow bytes time either image walk same slug minimist semver merge diff patch clone copy ' +
    'sync deep equal is-even start run dev prod app apps api apis docs doc website page pages ink keep bump add use'
  ).split(' '),
);

/** Names among these that are usually packages: "use rich for the table". */
const WELL_KNOWN: ReadonlySet<string> = new Set(
  (
    'rich requests express click flask black chalk commander got attrs regex serde anyhow react vue angular redis mongo ' +
    'minimist semver faker chance jinja2 typing nest next ink knip tap ky axios debug'
  ).split(' '),
);
const FOR = /^[`'"]?\s+(?:for|to|in)\b/;
const USES = /\b(?:use|using|adopt|introduce|install|depend on|switch to|move to|migrate to)\s+[`'"]?$/;

const VERBS =
  'add|adds|adding|install|installs|installing|use|uses|using|upgrade|upgrades|upgrading|update|updates|updating|bump|bumps|bumping|require|requires|import|pin|pins|adopt|introduce|include|pull in|depend on|depends on|migrate to|switch to|move to|with|via|on top of|swap in|replace \\S{1,60} (?:with|by)|to|and|or|from';
const NOUNS = 'package|packages|library|libraries|lib|dependency|dependencies|dep|module|crate|gem|plugin|feature';

/** The place where it is named; null if it is not. */
export function namedDependency(text: string, name: string): number | null {
  for (const spelled of spellings(name)) {
    const at = place(text, spelled);
    if (at !== null) return at;
  }
  return null;
}

/** Python treats `_`, `-` and `.` as equal; people call a Go module by its last part. */
function spellings(name: string): string[] {
  const all = [name];
  if (/[._-]/.test(name) && !name.includes('/'))
    all.push(name.replace(/[._-]/g, '_'), name.replace(/[._-]/g, '-'), name.replace(/[._-]/g, '.'));
  if (/^[\w-]+(?:\.[\w-]+)+\//.test(name)) {
    const parts = name.split('/').filter((part) => !/^v\d+$/.test(part));
    const last = parts.at(-1)?.replace(/\.v\d+$/, '') ?? '';
    if (last.length >= 3 && parts.length >= 2) all.push(last, parts.slice(-2).join('/'));
  }
  return [...new Set(all)];
}

function place(text: string, name: string): number | null {
  const lower = text.toLowerCase();
  const wanted = name.toLowerCase();
  const isEveryday = EVERYDAY.has(wanted) || wanted.length < 2;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1)) {
    const before = lower.slice(Math.max(0, at - 80), at);
    const after = lower.slice(at + wanted.length, at + wanted.length + 60);
    // A package of a Go module names the module.
    const isPart = after.startsWith('/') && /^[\w-]+\.[\w.-]+\//.test(wanted);
    if (/[\w@/.-]$/.test(before) || (!isPart && /^(?:[\w/-]|\.[a-z])/.test(after))) continue;
    const isUsed = WELL_KNOWN.has(wanted) && USES.test(before) && FOR.test(after);
    if (isEveryday ? isUsed || surely(before, after) : likely(before, after, wanted)) return at;
  }
  return null;
}

const AFTER_VERB = new RegExp(
  `\\b(?:${VERBS})(?:\\s+(?:the|a|an|our|new|latest|npm|pypi|pip|go|cargo|${NOUNS})){0,3}[\\s\`'"(:]*$`,
);
const NAMED_LIST = /[\w)`'"]\s{0,3}(?:,|\band\b|\bor\b|&|\+)\s{0,3}[`'"]?$/;
const BEFORE_NOUN = new RegExp(`^[\`'"]?[\\s-](?:${NOUNS})\\b`);
const AFTER_NOUN = new RegExp(`\\b(?:${NOUNS})(?:\\s+(?:named|called|on))?[\\s:]+[\`'"]?$`);
const VERSION = /^[`'"]?(?:@|\s{0,2}[<>=~^]=?\s{0,2}|\s+(?:to |from )?(?:version )?v?)\d/;
const INSTALLS =
  /\b(?:npm (?:i|install|add)|yarn add|pnpm add|pip3? install|uv add|poetry add|cargo add|go get)\b[^.]{0,60}$/;
const CONTEXT = new RegExp(`\\b(?:${VERBS}|${NOUNS})\\b`);

function likely(before: string, after: string, name: string): boolean {
  if (surely(before, after) || AFTER_VERB.test(before)) return true;
  // No ordinary word looks like this, so any context will do.
  const isMade = /[@/.\d_-]/.test(name);
  return (isMade && CONTEXT.test(before)) || (NAMED_LIST.test(before) && CONTEXT.test(before));
}

function surely(before: string, after: string): boolean {
  if (BEFORE_NOUN.test(after) || AFTER_NOUN.test(before) || VERSION.test(after) || INSTALLS.test(before)) return true;
  if (/^[`'"]?\s+(?:as a (?:new |dev |runtime )?dependency|instead of)\b/.test(after)) return true;
  return /`$/.test(before) && after.startsWith('`') && AFTER_VERB.test(before);
}
