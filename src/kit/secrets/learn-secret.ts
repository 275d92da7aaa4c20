import { isSecretName, replaceSecretsIn } from "./redact-text.ts";
import { redacted, type SecretLearner } from "./secret-registry.ts";

/** Registers a value as a secret, to be masked from then on. Ordinary words and templates are ignored. */
export function learnSecret(value: string, secrets: SecretLearner): void {
  for (const part of secretParts(value.trim())) if (!isOrdinary(part)) secrets.add(part);
}

/**
 * Registers the secrets in a document of the operator: values under secret names, values after options with such names, and parts of any
 * text that look like a secret.
 */
export function learnSecretsIn(document: unknown, secrets: SecretLearner): void {
  visit(document, false, secrets);
}

/** Returns true if a document has more secrets than `most`, or more characters in them. Stops at the limit. */
export function exceedsSecrets(document: unknown, most: { secrets: number; characters: number }): boolean {
  const seen = new Set<string>();
  let characters = 0;
  const count = (secret: string) => {
    if (seen.has(secret)) return;
    seen.add(secret);
    characters += secret.length;
    if (seen.size > most.secrets || characters > most.characters) throw new TooManySecrets();
  };
  try {
    learnSecretsIn(document, { add: count });
    return false;
  } catch (thrown) {
    if (thrown instanceof TooManySecrets) return true;
    throw thrown;
  }
}

class TooManySecrets extends Error {}

/** Like `learnSecretsIn`, for one value and its name. */
export function learnNamed(name: string, value: unknown, secrets: SecretLearner): void {
  visit(value, namesSecret(name), secrets);
  if (typeof value === "string" && namesAddress(name)) learnAddress(value, secrets);
}

/** Descriptions of values, not values. */
const described: ReadonlySet<string> = new Set(["parameters", "output_schema", "input_schema"]);

function visit(value: unknown, isSecret: boolean, secrets: SecretLearner): void {
  if (typeof value === "string" || (typeof value === "number" && isSecret)) {
    if (isSecret) learnSecret(String(value), secrets);
    else learnPieces(String(value), secrets);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      visit(item, isSecret || isOption(value[index - 1]), secrets);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      if (described.has(name)) continue;
      if (isSecret) visit(item, true, secrets);
      else learnNamed(name, item, secrets);
    }
  }
}

/**
 * Returns true if the name means that the whole value is secret. `connection_string` and `DSN` contain more than a secret, which is found
 * by its pattern.
 */
function namesSecret(name: string): boolean {
  return isSecretName(name) && !/_env$/i.test(name);
}

/** Returns true for an address that is itself a credential. */
function namesAddress(name: string): boolean {
  return /webhook[-_ ]?ur[li]$/i.test(name);
}

/** Returns true for an option such as `--api-key`, whose value follows. */
function isOption(before: unknown): boolean {
  return typeof before === "string" && /^--?[\w-]{1,60}$/.test(before) && isSecretName(before);
}

function learnPieces(text: string, secrets: SecretLearner): void {
  replaceSecretsIn(text, (piece) => {
    learnSecret(piece, secrets);
    return piece;
  });
}

function learnAddress(text: string, secrets: SecretLearner): void {
  const url = URL.parse(text);
  if (url === null) return;
  if (url.pathname === "/" && url.search === "") return;
  secrets.add(url.href);
  secrets.add(url.pathname + url.search);
  secrets.add(text);
}

/**
 * Returns the value and the parts of it that may appear alone: the token after its scheme, the password after its user, each cookie, each
 * line of a key.
 */
function secretParts(value: string): string[] {
  const parts = [value];
  const [, scheme, credentials = ""] = /^(bearer|basic|token|digest|apikey)\s+(\S.*)$/is.exec(value) ?? [];
  if (scheme !== undefined) parts.push(credentials);
  if (scheme?.toLowerCase() === "basic") parts.push(...passwordIn(decodedBase64(credentials)));
  parts.push(...passwordIn(value));
  if (value.includes("\n"))
    parts.push(...value.split(/\s*\n\s*/).filter((line) => /^[\w+/=]{16,}$/.test(line)));
  for (const [, cookie] of value.matchAll(/(?:^|;)\s*[\w.-]{1,80}=([^;]+)/g)) parts.push(cookie ?? "");
  return parts.flatMap((part) => [part, decodedUrl(part)]);
}

/** Returns the part after `user:`, or nothing if there is no password. */
function passwordIn(pair: string): string[] {
  const [, password] = /^[^:\s/]{0,200}:([^\s/].*)$/s.exec(pair) ?? [];
  return password === undefined ? [] : [password];
}

function decodedBase64(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(text));
  } catch {
    return "";
  }
}

function decodedUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns true for values that must not be masked: words, which occur in any text, templates, and values that are already masked. */
function isOrdinary(value: string): boolean {
  return value.includes(redacted) || /\{[{%]|\$\{/.test(value) || /^[A-Za-z]?[a-z]{0,12}$/.test(value);
}
