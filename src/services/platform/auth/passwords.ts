import { AdmissionGate } from "../../../kit/admission-gate.ts";

/** Hashes of passwords: argon2id with 19 MiB and two passes (OWASP's cheat sheet on password storage). */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time when there is no hash to compare with: an unknown account. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

const parameters = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** Each hash takes memory and a thread: as many at once, and as many that wait. */
const inFlightMax = 4;
const waitingMax = 256;

/** Of a password that nobody knows, with the parameters above: what is compared with for accounts that don't exist. */
const nobodys =
  "$argon2id$v=19$m=19456,t=2,p=1$BejAzYjdZfBWx2/D7dw3JownOBlDF9sLfyg/frkPfiI$6VhU7Pf+K0GBITvfZWwGDmLrbNfUpKAEHpLx873Mhqk";

export function createPasswords(): Passwords {
  const gate = new AdmissionGate({ inFlightMax, waitingMax });
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    const leave = await gate.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
  return {
    hash: (password) => inTurn(() => Bun.password.hash(password, parameters)),
    async verify(password, hash) {
      const matches = await inTurn(() => Bun.password.verify(password, hash ?? nobodys));
      return matches && hash !== undefined;
    },
  };
}
