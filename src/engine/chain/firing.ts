import { type AppError, toAppError } from "../../kit/app-error.ts";
import type { Link, LinkFacts } from "./chain.ts";

/** Decision on a link. With a `fault` its condition can't be evaluated, and the link has failed. */
export type Firing = { fires: false } | { fires: true; held: boolean; fault?: AppError };

/** Links in the order in which they are decided: the default comes after all conditions. */
export function decidingOrder<T extends Pick<Link, "isDefault" | "holds">>(links: readonly T[]): T[] {
  const byDefault = links.find(({ isDefault }) => isDefault);
  if (byDefault === undefined) return [...links];
  const others = links.filter((link) => link !== byDefault);
  const afterConditions = others.findLastIndex(({ holds }) => holds !== undefined) + 1;
  others.splice(Math.max(links.indexOf(byDefault), afterConditions), 0, byDefault);
  return others;
}

/**
 * Decides one link; `anyHeld`: an earlier condition held. A link with a condition fires if it holds, the default if none held, and any
 * other link always.
 */
export async function decide(
  { holds, isDefault }: Pick<Link, "isDefault" | "holds">,
  facts: LinkFacts,
  anyHeld: boolean,
): Promise<Firing> {
  if (isDefault) return anyHeld ? { fires: false } : { fires: true, held: true };
  if (holds === undefined) return { fires: true, held: true };
  try {
    return (await holds(facts)) ? { fires: true, held: true } : { fires: false };
  } catch (thrown) {
    return { fires: true, held: false, fault: toAppError(thrown) };
  }
}
