import { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";

/** Password hashes: argon2id with 19 MiB and two passes (OWASP's Password Storage Cheat Sheet). */
export interface Passwords {
  hash(password: string, caller?: Pick<PasswordCaller, "owner" | "signal">): Promise<string>;
  /** Takes the same time if there is no hash, which is the case for an unknown account. */
  verify(password: string, hash: string | undefined, caller?: PasswordCaller): Promise<boolean>;
}

/** The sender of a password. */
export interface PasswordCaller {
  /** True if the account was used from the caller's address before. Such a check has its own place. */
  isKnown?: boolean;
  /** Where the caller comes from: callers of one owner take turns with those of others. Absent: a trusted one. */
  owner?: string | undefined;
  /** Aborts when the caller disconnects. A check that has not begun is then skipped. */
  signal?: AbortSignal | undefined;
}

const parameters = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** Each hash takes memory and a thread. New accounts and unknown callers may be numerous, so they never use the last place. */
const places = {
  newAccounts: { inFlightMax: 1, waitingMax: 256, isBrief: true },
  unknown: { inFlightMax: 2, waitingMax: 256, isBrief: true },
  known: { inFlightMax: 1, waitingMax: 64, isBrief: true },
} as const;

/** Hash of an unknown password with the parameters above, compared with for accounts that don't exist. */
const nobodys =
  "$argon2id$v=19$m=19456,t=2,p=1$BejAzYjdZfBWx2/D7dw3JownOBlDF9sLfyg/frkPfiI$6VhU7Pf+K0GBITvfZWwGDmLrbNfUpKAEHpLx873Mhqk";

export function createPasswords(): Passwords {
  const newAccounts = new AdmissionGate(places.newAccounts);
  const unknown = new AdmissionGate(places.unknown);
  const known = new AdmissionGate(places.known);
  const inTurn = async <T>(
    gate: AdmissionGate,
    { signal, owner }: Pick<PasswordCaller, "owner" | "signal">,
    work: () => Promise<T>,
  ): Promise<T> => {
    const leave = await gate.enter(signal, owner);
    try {
      return await work();
    } finally {
      leave();
    }
  };
  return {
    hash: (password, caller = {}) =>
      inTurn(newAccounts, caller, () => Bun.password.hash(password, parameters)),
    async verify(password, hash, { isKnown = false, owner, signal } = {}) {
      const matches = await inTurn(isKnown ? known : unknown, { owner, signal }, () =>
        Bun.password.verify(password, hash ?? nobodys),
      );
      return matches && hash !== undefined;
    },
  };
}
