/** `/studio/tools/a%2Fb` → `["studio", "tools", "a/b"]`; a part that no page of ours wrote stays as it is. */
export const pathParts = (pathname: string): string[] => pathname.split("/").slice(1).map(decode);

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
