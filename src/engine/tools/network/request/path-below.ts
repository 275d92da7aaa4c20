import { normalized } from "../../../../kit/text/normalize.ts";

const decodingsMax = 5;
const charsMax = 4096;

/**
 * The address of a path below a base address, or the reason why the path might leave it. Servers and proxies parse paths differently, so
 * every spelling that one of them could read as a way out is refused.
 */
export function pathBelow(base: string, path: string): { url: string } | { fault: string } {
  if (path.length > charsMax) return { fault: `The path has more than ${charsMax} characters` };
  if (/[\p{Cc}\\]/u.test(path)) return { fault: "The path holds a backslash or a control character" };
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) || path.startsWith("//")) {
    return { fault: "A full address can't be called here" };
  }
  const queryAt = path.search(/[?#]/);
  const plain = queryAt === -1 ? path : path.slice(0, queryAt);
  const fault = segmentsFault(plain);
  if (fault !== undefined) return { fault };
  const above = new URL(base);
  const folder = above.pathname.replace(/\/+$/, "");
  const rest = path.replace(/^\//, "");
  const start = plain === "" ? above.pathname : `${folder}/`;
  const url = URL.parse(`${above.origin}${start}${rest}`);
  if (url === null || !isBelow(url, base)) return { fault: "The path leads out of the connection's address" };
  url.hash = "";
  return { url: url.href };
}

/**
 * Returns true if an address has the origin of a base address, and its path or one below it, in whole segments and in every spelling that a
 * server could read.
 */
export function isBelow(url: URL, base: string): boolean {
  const above = URL.parse(base);
  if (above === null || url.origin !== above.origin) return false;
  // An origin does not tell them.
  if (url.username !== "" || url.password !== "") return false;
  const folder = above.pathname.replace(/\/+$/, "");
  if (url.pathname === folder) return true;
  if (!url.pathname.startsWith(`${folder}/`)) return false;
  return segmentsFault(url.pathname.slice(folder.length)) === undefined;
}

/** Problem with a path that could lead upwards or to another host after any number of decodings; undefined if there is none. */
function segmentsFault(plain: string): string | undefined {
  let text = plain;
  for (let decodings = 0; decodings < decodingsMax; decodings++) {
    const read = normalized(text, "NFKC");
    if (/[\p{Cc}\\]/u.test(read)) return "The path holds an encoded backslash or control character";
    // Some servers ignore the rest of a segment after a semicolon.
    const segments = read.split("/").map((segment) => segment.replace(/;.*$/, "").trim());
    if (segments.some((segment) => /^\.{1,2}$/.test(segment))) return "The path holds a segment . or ..";
    if (read.startsWith("//")) return "The path begins with two slashes";
    if (!text.includes("%")) return undefined;
    let decoded: string;
    try {
      decoded = decodeURIComponent(text);
    } catch {
      return "The path holds a % that begins no character in UTF-8";
    }
    if (decoded === text) return undefined;
    text = decoded;
  }
  return "The path is encoded more than four times";
}
