import { isSecretName, replaceSecretsIn } from "./redact-text.ts";
import { redacted, type SecretLearner } from "./secret-registry.ts";

/** Takes a value for secret and masks it from then on; one that is an ordinary word or a template is left alone. */
export function learnSecret(value: string, secrets: SecretLearner): void {
  for (const part of secretParts(value.trim())) if (!isOrdinary(part)) secrets.add(part);
}

/**
 * Masks from then on what is secret in a document of the operator's: values under names of secrets and behind options of
 * such names, and what looks like a secret inside of any text.
 */
export function learnSecretsIn(document: unknown, secrets: SecretLearner): void {
  visit(document, false, secrets);
}

/** As `learnSecretsIn`, for one value by the name that it goes by. */
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

/** `connection_string` and `DSN` hold more than their secret: that is found in them by its looks. */
function namesSecret(name: string): boolean {
  return isSecretName(name) && !/_env$/i.test(name);
}

/** Whoever knows such an address needs nothing else. */
function namesAddress(name: string): boolean {
  return /webhook[-_ ]?ur[li]$/i.test(name);
}

/** `--api-key` before its value, as programs take it. */
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

/** The value, and what of it may be seen without the rest: the token behind its scheme, the password behind its user, each cookie, each line of a key. */
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

/** Behind `user:`, or the whole where there is no password. */
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

/** Words stand in every text; templates only name a value, and what is masked already is none. */
function isOrdinary(value: string): boolean {
  return value.includes(redacted) || /\{[{%]|\$\{/.test(value) || /^[A-Za-z]?[a-z]{0,12}$/.test(value);
}
