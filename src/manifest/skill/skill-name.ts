import { normalized } from "../../kit/text/normalize.ts";

/*
 * Rules of agentskills.io for the front matter of SKILL.md.
 */

const nameCharsMax = 64;
export const skillDescriptionCharsMax = 1024;

/** Returns what is wrong with a skill's name; undefined if nothing is. */
export function skillNameFault(name: string): string | undefined {
  const quotedName = JSON.stringify(name.slice(0, 100));
  const normal = normalized(name, "NFKC");
  if (normal === "") return "must not be empty";
  if ([...normal].length > nameCharsMax) return `has more than ${nameCharsMax} characters: ${quotedName}`;
  if (normal !== normal.toLowerCase()) return `must be in lower case: ${quotedName}`;
  if (normal.startsWith("-") || normal.endsWith("-"))
    return `must not begin or end with a hyphen: ${quotedName}`;
  if (normal.includes("--")) return `must not have two hyphens in a row: ${quotedName}`;
  if (!/^[\p{L}\p{N}-]+$/u.test(normal)) return `may have letters, digits and hyphens only: ${quotedName}`;
  return undefined;
}
