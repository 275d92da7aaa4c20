const name = "argosy-session-key";

/** The session's key, kept by the browser for this origin alone. */
export const keyStore = {
  read: (): string | undefined => localStorage.getItem(name) ?? undefined,
  keep: (key: string): void => localStorage.setItem(name, key),
  forget: (): void => localStorage.removeItem(name),
};
