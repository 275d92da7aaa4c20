import { AppError } from "../../../kit/app-error.ts";
import { type Address, readAddress } from "./address-kind.ts";
import { portRule } from "./closed-ports.ts";
import { isHostName } from "./host-name.ts";
import { refused } from "./network-error.ts";

const charsMax = 8192;
const controlCharacters = /\p{Cc}/u;

/** A URL that may be asked as far as its text tells. */
export interface Destination {
  url: URL;
  /** Lower case, without brackets and the final dot. */
  host: string;
  port: number;
  /** When the host is an address. */
  address?: Address;
}

/** Reads a URL, relative to `base` when there is one; throws `network_refused` for what is never asked. */
export function vetUrl(text: string, base?: URL): Destination {
  if (text.length > charsMax) throw refused(`The URL has more than ${charsMax} characters.`);
  // The parser would drop line breaks and tabs without a word.
  if (controlCharacters.test(text)) throw refused("The URL may not hold line breaks or control characters.");
  const url = URL.parse(text, base?.href);
  if (url === null) {
    throw refused("This is no URL that can be read; give a full one, such as https://example.com/path.");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refused("Only http:// and https:// URLs may be called.");
  }
  if (text.includes("@") && holdsCredentials(url, text)) {
    throw refused("The URL may not hold a user name or a password; send credentials in a header.");
  }
  if (text.includes("%") && (/%(0|1|7f)/i.test(url.pathname) || /%0[0d]/i.test(url.search))) {
    throw refused("The URL may not hold encoded line breaks or control characters.");
  }
  const host = bareHost(url.hostname);
  const port = Number(url.port) || (url.port === "" ? defaultPorts[url.protocol] : 0);
  if (portRule(port) === "never") throw refused("This port may not be called.");
  const address = readAddress(host);
  if (address !== undefined) return { url, host, port, address };
  if (!isHostName(host)) throw refused("The URL's host is no host name.");
  return { url, host, port };
}

/** Why a URL of a manifest is never asked, as a problem tells it; undefined when its text is fine. */
export function urlFault(text: string): string | undefined {
  try {
    vetUrl(text);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof AppError) return `can't be called: ${thrown.message}`;
    throw thrown;
  }
}

const defaultPorts: Readonly<Record<"http:" | "https:", number>> = { "http:": 80, "https:": 443 };

/** The parser keeps silent about those that are empty. */
function holdsCredentials(url: URL, text: string): boolean {
  return url.username !== "" || url.password !== "" || /^[a-z]+:[/\\]*[^/\\?#]*@/i.test(text.trim());
}

function bareHost(hostname: string): string {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}
