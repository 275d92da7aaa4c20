/** Returns a count with its noun: "1 message", "2 messages". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
