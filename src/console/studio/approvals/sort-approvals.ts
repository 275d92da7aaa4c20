import type { Approval } from "../../../contracts/daemon/runs/approvals.ts";

/**
 * Orders approvals: pending ones first, then by time, newest first. Approvals decided on this page stay among the pending ones even if they
 * no longer match the filter, so that the user sees the result in the same place.
 */
export function sortApprovals(listed: readonly Approval[], decidedHere: readonly Approval[]): Approval[] {
  const here = new Set(decidedHere.map(({ id }) => id));
  const known = new Set(listed.map(({ id }) => id));
  const all = [...listed, ...decidedHere.filter(({ id }) => !known.has(id))];
  const rank = ({ id, status }: Approval) => (status === "pending" || here.has(id) ? 0 : 1);
  return all.toSorted((a, b) => rank(a) - rank(b) || b.created_at.localeCompare(a.created_at));
}
