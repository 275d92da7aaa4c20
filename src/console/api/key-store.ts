const name = "argosy-session-key";

/** The session's key, which the browser stores for this origin only. */
export const keyStore = {
  read: (): string | undefined => localStorage.getItem(name) ?? undefined,
  keep: (key: string): void => localStorage.setItem(name, key),
  forget: (): void => localStorage.removeItem(name),
};
