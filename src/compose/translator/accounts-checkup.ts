import { toAppError } from "../../kit/app-error.ts";
import type { DoctorCheckup } from "../../services/daemon/system/doctor.ts";
import type { CloudAccount } from "../../services/translator/accounts/account.ts";

/** Checkup that calls each cloud account, to find refused credentials before a plan needs them. */
export const accountsCheckup = (accounts: readonly CloudAccount[]): DoctorCheckup => ({
  name: "translator accounts",
  async look(signal) {
    const looked = accounts.map(async (account) => {
      try {
        await account.check?.(signal);
        return [];
      } catch (thrown) {
        const { message, details } = toAppError(thrown);
        return [
          { subject: account.name, message, ...(details.hint !== undefined && { mend: details.hint }) },
        ];
      }
    });
    const findings = (await Promise.all(looked)).flat();
    if (findings.length > 0) {
      const names = findings.map(({ subject }) => subject).join(", ");
      return { status: "failing", message: `Accounts that can't be used: ${names}.`, findings };
    }
    const named = accounts.map(({ name, provider, driver }) => `${name} (${provider}, ${driver})`).join(", ");
    return { status: "healthy", message: `Accounts can be used: ${named}.` };
  },
});
