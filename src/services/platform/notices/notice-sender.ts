import type { MessageSender, SendResult } from "../../../channels/outbox/message-sender.ts";
import { type PostCallback, postCallback } from "../../../channels/sending/post-callback.ts";
import type { Notice } from "../../../contracts/platform/notices.ts";
import type { MailSender } from "../../../engine/tools/mail/email-address.ts";
import { type MailServer, sendMail } from "../../../engine/tools/mail/send-mail.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import type { Logger } from "../../../kit/log.ts";
import { traceParentOf } from "../../../kit/trace-parent.ts";

/** Mail server of the installation, and the sender of its mails. */
export interface NoticeMail {
  server: MailServer;
  from: MailSender;
}

/** Account of the outbox for e-mails to people. It is no hook: no list shows it, and it gets no notices. */
export const mailAccount = "account-mail";

export interface NoticePorts {
  /** Posts through the guarded network, without redirects. */
  postNotice: PostCallback;
  /** Undefined without a mail server. */
  noticeMail: NoticeMail | undefined;
  clock: Clock;
  log: Logger;
}

const mailMs = 30_000;

/** The e-mail of a notice. */
function mailOf(to: string, text: string): OwnMail {
  const notice = JSON.parse(text) as Notice;
  const subject = `Argosy: ${notice.event} of ${notice.tenant_name}`
    .replaceAll(/\p{Cc}+/gu, " ")
    .slice(0, 200);
  const lines = [
    notice.text,
    "",
    `Tenant: ${notice.tenant_name} (${notice.tenant_id})`,
    `Time: ${notice.at}`,
  ];
  return { to, subject, body: `${lines.join("\n")}\n` };
}

export interface OwnMail {
  to: string;
  subject: string;
  body: string;
}

/** Sends a notice to its hook, as a signed POST or an e-mail, or an e-mail to a person. `openOwnMail` unseals the latter. */
export function createNoticeSender(
  { postNotice, noticeMail, clock, log }: NoticePorts,
  openOwnMail: (sealed: string) => OwnMail,
): MessageSender {
  return {
    async send({ id, credentials: { url = "", secret = "" } }, { text = "", token }) {
      const result =
        id === mailAccount
          ? await mail(noticeMail, clock, openOwnMail(text))
          : url.startsWith("mailto:")
            ? await mail(noticeMail, clock, mailOf(url.slice("mailto:".length), text))
            : await postCallback(
                postNotice,
                { url, secret, traceparent: traceParentOf(token, undefined), body: text },
                (err) => log.error("notice.failed", { notice: token, err }),
              );
      return { result, channelMessageId: undefined };
    },
    partsOf: () => [],
    hasReceipts: () => false,
    resultOfCode: (_, code) => ({ action: "final", code }),
  };
}

async function mail(
  by: NoticeMail | undefined,
  clock: Clock,
  { to, subject, body }: OwnMail,
): Promise<SendResult> {
  if (by === undefined) return { action: "final", code: "mail_unset" };
  const message = { from: by.from, to: [to], subject, body };
  const patience = startDeadline(
    clock,
    mailMs,
    () => new AppError("upstream_timed_out", "mail_timed_out", "The mail server was slow."),
  );
  try {
    await sendMail(by.server, message, patience.signal);
    return { action: "sent" };
  } catch (thrown) {
    const code = thrown instanceof AppError ? thrown.code : "mail_failed";
    return { action: "retry", code, isAccountWide: false };
  } finally {
    patience.dispose();
  }
}
