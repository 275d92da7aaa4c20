/** Names in a `User-Agent`, the most specific first: browsers name their relatives too. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg\w*\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/Chrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\b(iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

const firstIn = (text: string, names: typeof browsers) => names.find(([form]) => form.test(text))?.[1];

/** Returns a short name for a `User-Agent`, such as "Firefox, Windows"; other programs are named as they name themselves. */
export function clientName(userAgent: string): string {
  const browser = userAgent.startsWith("Mozilla/") ? firstIn(userAgent, browsers) : undefined;
  if (browser === undefined) return userAgent;
  const system = firstIn(userAgent, systems);
  return system === undefined ? browser : `${browser}, ${system}`;
}
