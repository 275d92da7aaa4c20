import { enqueueMessage } from "../../../channels/outbox/enqueue-message.ts";
import { newId } from "../../../kit/id.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import { hookChannel } from "./give-notice.ts";
import { mailAccount, type NoticeMail, type OwnMail } from "./notice-sender.ts";

/** What e-mails with links of accounts need. Without one of them, an operator passes the links on. */
export interface LinkMailPorts {
  sealer: Sealer | undefined;
  noticeMail: NoticeMail | undefined;
  /** Address at which people reach the console, without a slash at its end. */
  publicUrl: string | undefined;
}

/** An e-mail with a link. */
export interface LinkMail {
  to: string;
  subject: string;
  /** Path of the console, with the secret after `#`. */
  path: string;
  /** Sentence above the link. */
  text: string;
  expiresAt: Date;
}

const mailSeal = { purpose: "notice_outbox", tenant: mailAccount, name: "mail" };

export const mailsLinks = ({ sealer, noticeMail, publicUrl }: LinkMailPorts): boolean =>
  sealer !== undefined && noticeMail !== undefined && publicUrl !== undefined;

/**
 * Queues an e-mail in the transaction that makes its link, so that it leaves exactly if the link exists, and is tried again until the link
 * expires. It is sealed, because it holds a secret. Returns false if the installation mails no links.
 */
export async function mailLink(
  { sealer, noticeMail, publicUrl }: LinkMailPorts,
  tx: Query,
  tables: PlatformTables,
  { to, subject, path, text, expiresAt }: LinkMail,
  now: Date,
): Promise<boolean> {
  if (sealer === undefined || noticeMail === undefined || publicUrl === undefined) return false;
  const body = `${text}\n\n${publicUrl}${path}\n\nThe link works once, until ${expiresAt.toISOString()}. If you did not expect this e-mail, ignore it.\n`;
  const id = newId();
  await tx
    .insert(tables.accounts)
    .values({
      id: mailAccount,
      tenantId: mailAccount,
      url: "mailto:",
      secret: "",
      events: [],
      createdBy: "system",
      createdAt: now,
      pausedReason: null,
      quietUntil: null,
    })
    .onConflictDoNothing();
  await enqueueMessage(
    tx,
    tables,
    {
      id,
      tenantId: mailAccount,
      channel: hookChannel,
      accountId: mailAccount,
      recipient: id,
      conversationId: null,
      source: "inbound_forward",
      payload: { text: sealer.seal(JSON.stringify({ to, subject, body }), mailSeal) },
      expiresAt,
    },
    now,
  );
  return true;
}

/** Returns the e-mail of a queued message. */
export const openMail = (sealer: Sealer, sealed: string): OwnMail =>
  JSON.parse(sealer.open(sealed, mailSeal));
