import type { ToolResult } from "../../tool.ts";

/** Result of a delivery: `data` if the receiver accepted it, otherwise an explanation of its status. */
export function deliveryResult(receiver: string, status: number, data: unknown): ToolResult {
  if (status >= 200 && status < 300) return { success: true, data };
  return { success: false, error: `${receiver} answered with status ${status}${meaningOf(status)}.` };
}

function meaningOf(status: number): string {
  if (status >= 300 && status < 400) return ", a redirect, which is not followed; use its final URL";
  if (status === 401 || status === 403) return ": it wants other credentials";
  if (status === 404 || status === 410) return ": there is nothing at this URL";
  if (status === 429) return ": it was called too often; try again later";
  if (status >= 500) return ": it has a fault of its own; try again later";
  return " and did not take it";
}
