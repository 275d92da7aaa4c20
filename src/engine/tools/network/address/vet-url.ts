import { AppError } from "../../../../kit/app-error.ts";
import { refused } from "../network-error.ts";
import { type IpAddress, readAddress } from "./address-kind.ts";
import { portRule } from "./closed-ports.ts";
import { isHostName } from "./host-name.ts";

const charsMax = 8192;
const controlCharacters = /\p{Cc}/u;

/** A URL whose text passed all checks. */
export interface Destination {
  url: URL;
  /** Lower case, without brackets and without the final dot. */
  host: string;
  port: number;
  /** Set if the host is an address. */
  address?: IpAddress;
}

/** Parses a URL, relative to `base` if given; throws `network_refused` for URLs that are never allowed. */
export function vetUrl(text: string, base?: URL): Destination {
  if (text.length > charsMax) throw refused(`The URL has more than ${charsMax} characters.`);
  // The parser would silently remove line breaks and tabs.
  if (controlCharacters.test(text)) throw refused("The URL may not hold line breaks or control characters.");
  const url = URL.parse(text, base?.href);
  if (url === null) {
    throw refused("This is not a URL that can be read; give a full one, such as https://example.com/path.");
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
  if (!isHostName(host)) throw refused("The URL's host is not a host name.");
  return { url, host, port };
}

/** The problem with a URL in a manifest; undefined if its text is allowed. */
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

/** Also detects empty credentials, which the parser doesn't report. */
function holdsCredentials(url: URL, text: string): boolean {
  return url.username !== "" || url.password !== "" || /^[a-z]+:[/\\]*[^/\\?#]*@/i.test(text.trim());
}

function bareHost(hostname: string): string {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}
