/** Returns a count with its noun: "1 mensaje", "2 mensajes". `plural` is for a noun that needs more than an "s". */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

/** Says how many approvals wait, for the number in the navigation. */
export const approvalsWaiting = (count: number): string =>
  `${counted(count, "aprobación", "aprobaciones")} en espera`;
