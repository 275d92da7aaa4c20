import type { AccountView } from "../../../contracts/translator/reconcile.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { CloudAccount } from "./account.ts";

/** The accounts of runtime.yaml. */
export class Accounts {
  readonly #byName: ReadonlyMap<string, CloudAccount>;

  /** The first account of a provider is its default. */
  constructor(accounts: readonly CloudAccount[]) {
    this.#byName = new Map(accounts.map((account) => [account.name, account]));
  }

  find(name: string): CloudAccount | undefined {
    return this.#byName.get(name);
  }

  /** Throws `account_not_found` (404). */
  get(name: string): CloudAccount {
    const account = this.find(name);
    if (account !== undefined) return account;
    throw new AppError("not_found", "account_not_found", `There is no account ${name}.`, {
      details: { hint: `Accounts are ${[...this.#byName.keys()].join(", ")}.` },
    });
  }

  /**
   * Returns the account that a request means: by name, otherwise the first of the provider, otherwise the first of all. Throws
   * `account_not_found` (404) if there is none, or if the named one is of another provider.
   */
  choose({
    account,
    provider,
  }: {
    account?: string | undefined;
    provider?: string | undefined;
  }): CloudAccount {
    if (account !== undefined) {
      const named = this.get(account);
      if (provider === undefined || named.provider === provider) return named;
      throw new AppError(
        "not_found",
        "account_not_found",
        `Account ${account} is of provider ${named.provider}, not ${provider}.`,
      );
    }
    const all = [...this.#byName.values()];
    const matchingAccount = provider === undefined ? all[0] : all.find((one) => one.provider === provider);
    if (matchingAccount !== undefined) return matchingAccount;
    throw new AppError("not_found", "account_not_found", `There is no account of provider ${provider}.`, {
      details: { hint: "The operator adds one to spec.translator.accounts in runtime.yaml." },
    });
  }

  list(): AccountView[] {
    return [...this.#byName.values()].map(({ name, provider, driver }) => ({ name, provider, driver }));
  }
}
