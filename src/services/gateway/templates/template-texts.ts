import {
  type ListedTemplate,
  readTemplate,
  templateText,
} from "../../../channels/templates/read-template.ts";
import type { Template } from "../../../contracts/gateway/messages.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import { LatestMap } from "../../../kit/latest-map.ts";
import { cutText } from "../../../kit/text/cut-text.ts";
import type { AccountRow } from "../accounts/store.ts";

/** Sending a template waits at most this long for its wording. */
const waitMs = 5_000;
/** Time for which an account's templates are known. */
const freshMs = 10 * 60_000;
const accountsMax = 200;
const textCharsMax = 4096;

/** What templates say, for the conversation and the agent. The provider sends them, and only it has the words. */
export class TemplateTexts {
  readonly #clock: Clock;
  readonly #list: (account: AccountRow, signal: AbortSignal) => Promise<readonly unknown[]>;
  readonly #known = new LatestMap<string, { at: number; templates: readonly ListedTemplate[] }>(accountsMax);

  constructor(clock: Clock, list: (account: AccountRow, signal: AbortSignal) => Promise<readonly unknown[]>) {
    this.#clock = clock;
    this.#list = list;
  }

  /** Returns the text of a template as it is sent. Undefined if its provider doesn't say it in time. */
  async textOf(account: AccountRow, sent: Template): Promise<string | undefined> {
    try {
      const templates = await this.#templatesOf(account);
      const found = templates.find(({ name, language }) => name === sent.name && language === sent.language);
      const text = found === undefined ? "" : templateText(found, sent);
      return text === "" ? undefined : cutText(text, textCharsMax);
    } catch {
      // The message is sent all the same, and shown by its name.
      return undefined;
    }
  }

  async #templatesOf(account: AccountRow): Promise<readonly ListedTemplate[]> {
    const now = this.#clock.now().getTime();
    const known = this.#known.get(account.id);
    if (known !== undefined && Math.abs(now - known.at) < freshMs) return known.templates;
    const timedOut = () =>
      new AppError("upstream_timed_out", "templates_timed_out", "The provider was slow.");
    const patience = startDeadline(this.#clock, waitMs, timedOut);
    try {
      const found = await this.#list(account, patience.signal);
      const templates = found.flatMap((template) => readTemplate(template) ?? []);
      this.#known.set(account.id, { at: now, templates });
      return templates;
    } finally {
      patience.dispose();
    }
  }
}
