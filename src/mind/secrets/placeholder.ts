/** Values that stand where a secret would stand: examples, words for it, references to where it is kept. */

const WORDS =
  /^(?:(?:my|your|the|a|an|some|test|fake|dummy|sample|example|demo|default|new|old|real|bad|wrong|invalid|valid|secret|super|top|very|strong|long|random|generated|user|admin|root|api|app|access|auth|bearer|client|db|database|private|public|password|passwd|passphrase|pass|pwd|passw0rd|key|token|credentials?|value|string|here|goes|this|is|not|none|null|nil|undefined|true|false|empty|blank|redacted|masked|hidden|changeme|change|me|it|replace|with|insert|enter|todo|tbd|fixme|foo|bar|baz|qux|hunter|letmein|welcome|qwerty|abc|xyz|placeholder|secure|unsafe|insecure|hello|world|name|id|text|data|encoded|hash|hashed)[\W\d_]*)+$/i;
const REFERENCE =
  /\$\{|#\{[^}]*\}|\$\(|\{\{|%\(|<[a-z][\w -]*>|^\$\w|^%\w+%$|^%[sdv@]|^[<[{(].*[>\]})]$|process\.env|os\.environ|getenv|secrets\.|vars?\.|env\.|config\.|settings\.|self\.|this\.|\.\.\.|^\*+$|example|placeholder|change[_-]?(?:me|it|this)|your[_-]|^(?:urn|classpath|file):|^x{4,}|x{6,}|0{8,}|\*{3,}/i;

/** `HTTP_X_TOKEN`: the name of something, given as a text. */
const CONSTANT = /^[A-Z]+(?:_[A-Z]+)+\W*$/;
/** `ESXI1_PASSWORD`, `S3_KEY_2`: with numbers, if it says itself what it stands for. */
const COUNTED_CONSTANT =
  /^(?=.*(?:^|_)(?:PASS|PASSWORD|SECRET|TOKEN|KEY|CRED)(?:_|$))[A-Z]+\d{0,2}(?:_(?:[A-Z]+\d{0,2}|\d{1,2}))+$/;

/** `blahblahblah`. */
const REPEATED = /^([a-z]{2,8}?)\1{2,}$/i;

export function isPlaceholder(value: string): boolean {
  return (
    CONSTANT.test(value) ||
    COUNTED_CONSTANT.test(value) ||
    REFERENCE.test(value) ||
    WORDS.test(value) ||
    REPEATED.test(value) ||
    isMonotonous(value)
  );
}

/** `aaaa`, `abcdefgh`, `12345678`, `0a0a0a`: most of it follows from what stands before, or few characters make all of it. */
export function isMonotonous(value: string): boolean {
  let steps = 0;
  for (let at = 1; at < value.length; at++) {
    const by = value.charCodeAt(at) - value.charCodeAt(at - 1);
    if (by >= -1 && by <= 1) steps++;
  }
  return steps * 3 >= value.length * 2 || new Set(value).size * 4 <= Math.min(value.length, 20);
}
