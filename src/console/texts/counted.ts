/** Returns a count with its noun: "1 message", "2 messages". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Says how many approvals wait, for the number in the navigation. */
export const approvalsWaiting = (count: number): string => `${counted(count, "approval")} waiting`;
