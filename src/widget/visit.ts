/** What a page remembers of a visitor between its loads. */
interface Remembered {
  token?: string;
  /** When this device got the token. The clocks of visitors' devices may be wrong, so only the server judges whether it is still valid. */
  since?: number;
  /** Time of the newest message that the visitor has seen. */
  read?: string;
}

const dayMs = 24 * 60 * 60 * 1000;
/** Half of a token's time. */
const renewedAfterMs = 15 * dayMs;

/** The visitor of an account on this site. Pages whose storage is closed forget it when they are left. */
export class Visit {
  readonly #key: string;
  #kept: Remembered = {};

  constructor(key: string) {
    this.#key = key;
    this.#load();
  }

  /** Undefined before the first message. */
  get token(): string | undefined {
    return this.#kept.token;
  }

  get needsRenewal(): boolean {
    const ageMs = Date.now() - (this.#kept.since ?? 0);
    return ageMs < 0 || ageMs > renewedAfterMs;
  }

  get read(): string {
    return this.#kept.read ?? "";
  }

  begin(token: string): void {
    this.#keep({ ...this.#kept, token, since: Date.now() });
  }

  /** Forgets a visitor whose token is no longer valid. */
  end(): void {
    this.#keep({});
  }

  sawUntil(at: string): void {
    if (at > this.read) this.#keep({ ...this.#kept, read: at });
  }

  /** Calls back when another tab of the site began a visit or read on. */
  onChange(changed: () => void): void {
    window.addEventListener("storage", ({ key }) => {
      if (key !== this.#key) return;
      this.#load();
      changed();
    });
  }

  #load(): void {
    try {
      const stored: unknown = JSON.parse(localStorage.getItem(this.#key) ?? "{}");
      this.#kept = typeof stored === "object" && stored !== null ? stored : {};
    } catch {
      // Closed storage, or a text of another program.
    }
  }

  #keep(stored: Remembered): void {
    this.#kept = stored;
    try {
      localStorage.setItem(this.#key, JSON.stringify(stored));
    } catch {
      // Closed or full storage.
    }
  }
}
