import { replaceAddressSecrets } from "./address-secrets.ts";
import { redacted } from "./secret-registry.ts";

const keyNameEnd =
  "(?<!(?:idempotency|cache|dedupe|public|primary|sort|partition)[-_. ]?)" +
  "(?:(?<![a-z])|api|raw|access|account|admin|client|encryption|gateway|private|sealing|sender|shared|signing|storage)keys?";

/** Ends of names whose values are secret: `x-api-key`, `smtp_password`, `refreshToken`, `HOSTED_LLM_API_KEY`. */
const secretNameEnd =
  "(?:authorization|cookies?|token|secrets?|passw(?:or)?ds?|passphrase|pwd|jwt|credentials?|signature(?:-256)?|appsecret_proof|(?<![a-z])otp|(?:stream|run)[-_ ]?ticket" +
  `|${keyNameEnd})`;

const secretName = new RegExp(`${secretNameEnd}$`, "i");

/** Answers by name: fields of logs and traces have the same few names in every run. Bounded, because callers choose some of them. */
const judgedNames = new Map<string, boolean>();
const judgedNamesMax = 1000;
const judgedLengthMax = 40;

/** Returns true if a field with this name has a secret value. */
export function isSecretName(name: string): boolean {
  const known = judgedNames.get(name);
  if (known !== undefined) return known;
  const isSecret = secretName.test(name);
  if (name.length <= judgedLengthMax && judgedNames.size < judgedNamesMax) judgedNames.set(name, isSecret);
  return isSecret;
}

const assignedValue = `(?:(?:bearer|basic|token|apikey|negotiate)\\s+)?(?:"[^"]*"|'[^']*'|[^\\s"'&,;<>\\\\{}()[\\]]+)`;

/**
 * A sentence after the name of something that is not a password, such as "access token: Session has expired": a word of letters, then another. No
 * token or key is one.
 */
const sentence = "(?<=(?:token|keys?|signature|credentials?):\\s{1,3})(?-i:[A-Z]?[a-z]{1,20} [a-z]{2,20}\\b)";

const patterns: readonly [RegExp, string][] = [
  // These headers are secret up to the end of their line.
  [/((?:cookie|sec-websocket-protocol)["']?\s{0,3}:\s{0,3})[^\r\n"']+/gi, `$1${redacted}`],
  [/(authorization:\s{0,3}digest\s)[^\r\n]+/gi, `$1${redacted}`],
  // Lists of keys continue after a comma.
  [/\b([A-Z_]{0,40}(?:KEYS|TOKENS|SECRETS)=)[^\s"']+/g, `$1${redacted}`],
  // `name: value`, `name=value`, `"name":"value"`, `?name=value`.
  [
    new RegExp(
      `(${secretNameEnd}[\\\\"']*(?:\\s{0,3}(?:=>|[:=])\\s{0,3}|%3[ad])\\\\?)(?!${sentence})${assignedValue}`,
      "gi",
    ),
    `$1${redacted}`,
  ],
  // "Bearer authentication" is none.
  [/\b(bearer\s{1,3})(?!(?-i:[a-z]{1,14})(?=[\s"',;<>\\]|\.?(?:\s|$)))[^\s"',;<>\\]+/gi, `$1${redacted}`],
  [/\b([Bb]asic\s{1,3})(?=[a-z]*[A-Z0-9=])[\w+/-]{6,}={0,2}/g, `$1${redacted}`],
  // Options and elements with such names.
  [new RegExp(`(\\s--?[\\w-]{0,40}?${secretNameEnd}\\s{1,3})(?!-)${assignedValue}`, "gi"), `$1${redacted}`],
  [/(\s(?:-u|--user)\s{1,3}[^\s:]{1,80}:)[^\s"']+/g, `$1${redacted}`],
  [new RegExp(`(<[\\w:-]{0,40}?${secretNameEnd}>)[^<]{1,4096}`, "gi"), `$1${redacted}`],
  // The words without a sign between them, if the text that follows looks random.
  [
    /\b((?:token|password|passphrase|secret|key)(?:\s(?:is|was|provided|given|used))?:?\s{1,3})(?=[^\s\d]*\d)[\w.~+/=:%-]{8,}/gi,
    `$1${redacted}`,
  ],
  [/\b((?:[Tt]oken|[Pp]assword|[Ss]ecret|[Kk]ey)\s{1,3})[A-Z][A-Z0-9_-]{5,}\b/g, `$1${redacted}`],
  // User and password of a URL or connection string.
  [/(\\?\/\\?\/)[^\s/?#"'<>\\]*@/g, `$1${redacted}@`],
  // A password with characters that should have been encoded, unless it can be a port and a path.
  [/(:\/\/[\w.~%+-]{0,80}:)(?!\d{1,5}[/?#])[^\s"'<>@]{1,512}@/g, `$1${redacted}@`],
  // The same without a scheme, as settings of proxies have it: a port follows.
  [/(?<![\w.@/-])[\w.-]{1,80}:[^\s:@/"'<>]{1,200}(?=@[\w.-]{1,253}:\d{2,5}\b)/g, redacted],
  // A bot token in a path of Telegram's API, also at another host.
  [/(\/bot)\d+(?::|%3a)[^\s/?#"'<>]+/gi, `$1${redacted}`],
  [/(api\.telegram\.org\/(?:file\/)?bot)[^\s/?#"'<>]+/gi, `$1${redacted}`],
  // Keys with a vendor's prefix, JSON Web Tokens, bot tokens.
  [
    /\b(?:apk_[\w-]{16,}|a?sk-[\w-]{16,}|gsk_\w{16,}|gh[a-z]_\w{20,}|xox[a-z]-[\w-]{10,}|AKIA\w{16}|\d{6,12}:[\w-]{30,})/g,
    redacted,
  ],
  [
    /\b(?:[rs]k_(?:live|test)_\w{10,}|whsec_[\w+/-]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|npm_\w{30,}|hf_\w{20,})/g,
    redacted,
  ],
  [
    /\b(?:AIza[\w-]{30,}|ASIA\w{16}|ya29\.[\w-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|EAA[A-Za-z0-9]{40,})/g,
    redacted,
  ],
  // Addresses that grant access to a chat.
  [/(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[^\s"'<>\\]+/gi, `$1${redacted}`],
  [/(discord(?:app)?\.com\/api\/webhooks\/)[^\s"'<>\\]+/gi, `$1${redacted}`],
  [/(office(?:365)?\.com\/webhook(?:b2)?\/)[^\s"'<>\\]+/gi, `$1${redacted}`],
  [
    /(hooks\.zapier\.com\/hooks\/catch\/|maker\.ifttt\.com\/trigger\/[^\s/]{1,80}\/with\/key\/)[^\s"'<>\\]+/gi,
    `$1${redacted}`,
  ],
  // A private key, also if it was cut off.
  [
    /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:(?!-----END)[\s\S]){0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
    redacted,
  ],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, redacted],
  // Tokens of runs, refresh tokens, stream tickets, keys of console sessions: 32 random bytes as base64url.
  [/(?<![\w+/=-])(?=[\w-]{0,42}[a-z])(?=[\w-]{0,42}[A-Z])(?=[\w-]{0,42}\d)[\w-]{43}(?![\w+/=-])/g, redacted],
];

/** Groups of digits, long enough for a card, that aren't part of a word, a fraction or a UUID. */
const digitGroups = /(?<![\w.])(?<![0-9a-f]{4}-)\d(?:[ -]?\d){13,40}(?!\w)(?!-[0-9a-f]{4})/gi;

/** Every text that one of the patterns matches also matches this. */
const suspicious =
  /[:=@<]|%(?:25){0,2}(?:3[ad]|40)|bearer|basic|token|password|secret|key|sk|apk_|rk_|gh|gl|xox|AKIA|ASIA|AIza|EAA|SG\.|ya29|npm_|hf_|whsec|slack|discord|\s-|eyJ|[\w-]{43}|\d[ -]?\d{3}/i;

/** Texts that none of the patterns matches: each pattern needs another character, or 14 of these. */
const harmless = /^[\w.-]{0,13}$/;

/** Ids of runs and requests. Of the patterns, only that of cards can match one, at its start, and needs 14 digits there. */
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const beginsAsCard = /^\d{8}-\d{4}-\d{2}/;

/** Masks the parts of `text` that look like a secret or a card number. For logs and traces, not for answers. */
export function redactText(text: string): string {
  // Nearly all texts of logs and traces are names or ids, and these checks take a tenth of the time of the others.
  if (harmless.test(text)) return text;
  if (text.length === 36 && uuid.test(text))
    return beginsAsCard.test(text) ? text.replace(digitGroups, maskCards) : text;
  if (!suspicious.test(text)) return text;
  let masked = hasAddress.test(text) ? replaceAddressSecrets(text, isSecretName, () => redacted) : text;
  for (const [pattern, replacement] of patterns) masked = masked.replace(pattern, replacement);
  return masked.replace(digitGroups, maskCards);
}

/** Every text with a parameter of an address, or with an encoded address, also matches this. */
const hasAddress = /[?&;#][^\s=?&;#]{1,400}=|\\u003d|\\u0026|%(?:25){0,2}(?:3d|40)/i;

/** The text around a value: its scheme and its quotes. */
const wrapping = /^((?:(?:bearer|basic|token|apikey|negotiate)\s+)?["']?)(.*?)(["']?)$/is;

/** A JSON field with such a name, whose value may have escaped quotes. */
const jsonField = new RegExp(
  `("[^"\\\\]{0,80}${secretNameEnd}"\\s{0,3}:\\s{0,3}")((?:[^"\\\\]|\\\\.)*)"`,
  "gis",
);

/** Returns true for a value that is not masked yet and is more than the name of a scheme. */
function isBare(secret: string): boolean {
  return (
    secret !== "" && secret !== redacted && !/^(?:bearer|basic|token|apikey|negotiate|digest)$/i.test(secret)
  );
}

/**
 * Replaces each piece of `text` that looks like a secret and nothing around it. Quotes, names and personal data stay, so JSON stays valid.
 * Text that is already masked stays unchanged.
 */
export function replaceSecretsIn(text: string, replace: (secret: string) => string): string {
  if (!suspicious.test(text)) return text;
  const hide = (secret: string) => (isBare(secret) ? replace(secret) : secret);
  let replaced = text.replace(
    jsonField,
    (_match: string, before: string, secret: string) => `${before}${hide(secret)}"`,
  );
  replaced = replaceAddressSecrets(replaced, isSecretName, hide);
  for (const [pattern, replacement] of patterns) {
    replaced = replaced.replace(pattern, (match: string, ...groups: unknown[]) => {
      const before = replacement.startsWith("$1") ? String(groups[0]) : "";
      const after = replacement.endsWith("@") ? "@" : "";
      const value = match.slice(before.length, match.length - after.length);
      const [, opening = "", secret = "", closing = ""] = wrapping.exec(value) ?? [];
      return before + opening + hide(secret) + closing + after;
    });
  }
  return replaced;
}

/**
 * Masks card numbers among groups of digits. The longest row of groups that is a card number is masked, then the search continues after it.
 */
function maskCards(groups: string): string {
  const parts = groups.split(/([ -])/);
  for (let start = 0; start < parts.length; start += 2) {
    for (let end = parts.length; end > start; end -= 2) {
      if (!isCardNumber(parts.slice(start, end).join(""))) continue;
      return `${parts.slice(0, start).join("")}[card]${maskCards(parts.slice(end).join(""))}`;
    }
  }
  return groups;
}

/** Returns true if the first digit, length and check digit match payment cards (ISO/IEC 7812-1). */
function isCardNumber(text: string): boolean {
  const digits = text.replace(/[ -]/g, "");
  if (digits.length < 14 || digits.length > 19 || !/^[2-6]/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit < 5 ? digit * 2 : digit * 2 - 9;
  }
  return sum % 10 === 0;
}
