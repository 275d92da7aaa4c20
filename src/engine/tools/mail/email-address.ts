import { domainToASCII } from "node:url";

const ADDRESS_CHARS_MAX = 320;
const LOCAL_CHARS_MAX = 64;
const DOMAIN_CHARS_MAX = 253;

const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const domainLabel = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const isAscii = /^[\x21-\x7e]+$/;

/**
 * Normalizes an address: a plain `name@domain`, with the domain in lower case and ASCII. Returns undefined for everything else, because
 * servers interpret quoted names, comments and routes differently.
 */
export function readAddress(text: string): string | undefined {
  if (text.length > ADDRESS_CHARS_MAX) return undefined;
  const at = text.indexOf("@");
  const local = text.slice(0, at);
  if (at < 1 || local.length > LOCAL_CHARS_MAX || !localPart.test(local)) return undefined;
  const domain = readDomain(text.slice(at + 1));
  return domain === undefined ? undefined : `${local}@${domain}`;
}

function readDomain(text: string): string | undefined {
  // An ASCII domain must not be decoded, because percent signs would be.
  const domain = isAscii.test(text) || /[%\s]/.test(text) ? text.toLowerCase() : domainToASCII(text);
  const isDomain =
    domain.length <= DOMAIN_CHARS_MAX && domain.split(".").every((label) => domainLabel.test(label));
  return isDomain ? domain : undefined;
}

/** Sender of a message: an address, and optionally a display name. */
export interface MailSender {
  name: string;
  address: string;
}

/** Parses `ann@example.com` or `Ann Lee <ann@example.com>`. */
export function readSender(text: string): MailSender | undefined {
  const trimmed = text.trim();
  const opened = trimmed.indexOf("<");
  if (opened === -1) {
    const address = readAddress(trimmed);
    return address === undefined ? undefined : { name: "", address };
  }
  const name = trimmed.slice(0, opened).trim();
  const address = trimmed.endsWith(">") ? readAddress(trimmed.slice(opened + 1, -1)) : undefined;
  if (address === undefined || hasControl(name) || /[<>"]/.test(name)) return undefined;
  return { name, address };
}

/** Returns true if a text has characters that may end a header line or are not allowed in headers. */
export function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f || code === 0x85 || code === 0x2028 || code === 0x2029) return true;
  }
  return false;
}
