import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Type } from "@sinclair/typebox";
import { hasControl, readAddress, readSender } from "../mail/email-address.ts";
import { isRecipientPattern, recipientPolicy } from "../mail/recipient-policy.ts";
import { isLoopbackHost, type MailTls, sendMail } from "../mail/send-mail.ts";
import { builtinTool } from "./builtin-tool.ts";

const RECIPIENTS_MAX = 10;

/** Sends mail through the operator's SMTP server. */
export const sendEmail = builtinTool({
  name: "send_email",
  description: "Sends a plain-text e-mail. It can't be taken back.",
  docs: `Returns \`message_id\`, \`accepted\` and \`rejected\`. At most ${RECIPIENTS_MAX} recipients, plain addresses of at most 320 characters; line breaks in addresses and subject are refused. A connection with credentials must be encrypted, unless the server is on the same machine. \`allowed_recipients\` says whom the model may write to; without it, everybody: set it wherever the model reads what strangers write, or use \`mode: propose\`.`,
  parameters: Type.Object(
    {
      to: Type.String({
        description: `E-mail address; several (at most ${RECIPIENTS_MAX}) are separated by commas.`,
        minLength: 1,
        maxLength: 3500,
      }),
      subject: Type.String({ description: "One line.", maxLength: 500 }),
      body: Type.String({ description: "Plain text.", maxLength: 262_144 }),
    },
    { additionalProperties: false },
  ),
  options: Type.Object(
    {
      smtp_host: Type.String({
        description: "The mail server.",
        minLength: 1,
        maxLength: 255,
        pattern: "^[A-Za-z0-9._:\\[\\]-]+$",
        expects: "a host name or an address",
      }),
      smtp_port: Type.Integer({ description: "Its port.", minimum: 1, maximum: 65_535, default: 587 }),
      smtp_user: Type.Optional(Type.String({ description: "The login.", minLength: 1, maxLength: 320 })),
      smtp_password: Type.Optional(
        Type.String({
          description: "Its password; name a variable of the environment in its place.",
          minLength: 1,
          maxLength: 1024,
        }),
      ),
      from_address: Type.String({
        description: "The sender: `ann@example.com` or `Ann <ann@example.com>`.",
        minLength: 3,
        maxLength: 500,
      }),
      tls: Type.Optional(
        Type.Union(
          [Type.Literal("auto"), Type.Literal("starttls"), Type.Literal("implicit"), Type.Literal("none")],
          {
            description:
              "`implicit` encrypts from the first byte, `starttls` after the greeting or not at all, `none` never; `auto` is `implicit` on port 465 and elsewhere STARTTLS, which must succeed where there are credentials.",
            default: "auto",
          },
        ),
      ),
      tls_ca_file: Type.Optional(
        Type.String({
          description:
            "Certificates (PEM) that are trusted in place of the public ones, relative to the workspace.",
          minLength: 1,
          maxLength: 4096,
        }),
      ),
      allowed_recipients: Type.Optional(
        Type.Array(Type.String({ minLength: 3, maxLength: 320, description: "An address, or a pattern." }), {
          description:
            "Addresses the model may write to; `*` stands for any characters but `@`, as in `*@example.com`.",
          maxItems: 256,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  problems(options, { files }) {
    const problems: { key: string; message: string }[] = [];
    const { smtp_host, smtp_user, smtp_password, from_address, tls, tls_ca_file, allowed_recipients } =
      options;
    if (readSender(from_address) === undefined) {
      problems.push({
        key: "from_address",
        message: "must be an e-mail address, or a name and an address in <>",
      });
    }
    if ((smtp_user === undefined) !== (smtp_password === undefined)) {
      problems.push({ key: "smtp_user", message: "and smtp_password must be given together" });
    }
    if (tls === "none" && smtp_user !== undefined && !isLoopbackHost(smtp_host)) {
      problems.push({
        key: "tls",
        message: "must not be none: the password would go over the network as it is",
      });
    }
    if (tls_ca_file !== undefined && readText(resolve(files.workspace, tls_ca_file)) === undefined) {
      problems.push({ key: "tls_ca_file", message: "can't be read" });
    }
    for (const [index, pattern] of (allowed_recipients ?? []).entries()) {
      if (!isRecipientPattern(pattern)) {
        problems.push({
          key: `allowed_recipients[${index}]`,
          message: "must be an e-mail address; it may have *",
        });
      }
    }
    return problems;
  },
  describeCall: ({ to }) => ({ target: to, operation: "send" }),
  build(options, { files, conceal, addressOf }) {
    const { smtp_host: host, smtp_port: port, smtp_user: user, smtp_password: password } = options;
    if (password !== undefined) conceal(password);
    const mayReceive = recipientPolicy(options.allowed_recipients);
    const from = readSender(options.from_address);
    const caFile = options.tls_ca_file;
    const trusted = caFile === undefined ? undefined : readText(resolve(files.workspace, caFile));
    const server = {
      host,
      port,
      tls: (options.tls ?? "auto") as MailTls,
      ...(user !== undefined && password !== undefined ? { credentials: { user, password } } : {}),
      ...(trusted === undefined ? {} : { trusted }),
    };
    return async ({ to, subject, body }, { signal }) => {
      if (from === undefined) return failed("from_address is not an e-mail address.");
      if (hasControl(subject)) return failed("The subject must be one line without control characters.");
      const recipients = readRecipients(to);
      if (typeof recipients === "string") return failed(recipients);
      const refused = recipients.filter((address) => !mayReceive(address));
      if (refused.length > 0)
        return failed(`The agent may not write to ${refused.join(", ")}. The e-mail was not sent.`);
      const checked = addressOf === undefined ? {} : { address: await addressOf(host, signal) };
      const receipt = await sendMail(
        { ...server, ...checked },
        { from, to: recipients, subject, body },
        signal,
      );
      const { messageId, accepted, rejected } = receipt;
      return { success: true, data: { message_id: messageId, accepted, rejected } };
    };
  },
});

/** The distinct addresses, or the problem with them. */
function readRecipients(to: string): string[] | string {
  const addresses: string[] = [];
  for (const piece of to.split(",")) {
    const text = piece.trim();
    const address = hasControl(piece) ? undefined : readAddress(text);
    if (address === undefined) {
      return "Each recipient must be a plain e-mail address such as ann@example.com, without a name; separate several by commas.";
    }
    if (!addresses.includes(address)) addresses.push(address);
  }
  if (addresses.length > RECIPIENTS_MAX)
    return `An e-mail may have ${RECIPIENTS_MAX} recipients; send several.`;
  return addresses;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function failed(error: string): { success: false; error: string } {
  return { success: false, error };
}
