import type { Approval } from "../../../contracts/daemon/approvals.ts";

/**
 * Those that wait first, the newest first; what was decided on this page stays among them, also when it matches no filter any
 * more, so that its result is seen where the decision was made.
 */
export function orderApprovals(listed: readonly Approval[], decidedHere: readonly Approval[]): Approval[] {
  const here = new Set(decidedHere.map(({ id }) => id));
  const known = new Set(listed.map(({ id }) => id));
  const all = [...listed, ...decidedHere.filter(({ id }) => !known.has(id))];
  const rank = ({ id, status }: Approval) => (status === "pending" || here.has(id) ? 0 : 1);
  return all.toSorted((a, b) => rank(a) - rank(b) || b.created_at.localeCompare(a.created_at));
}
