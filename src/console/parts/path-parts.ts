/** Splits a path: `/studio/tools/a%2Fb` becomes `["studio", "tools", "a/b"]`. A part with malformed escapes stays unchanged. */
export const pathParts = (pathname: string): string[] => pathname.split("/").slice(1).map(decode);

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
