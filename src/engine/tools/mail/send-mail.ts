import { isIP } from "node:net";
import type { NodemailerError } from "nodemailer";
import { AppError } from "../../../kit/app-error.ts";
import type { MailSender } from "./email-address.ts";

/** Encryption of the connection to the mail server. */
export type MailTls = "auto" | "starttls" | "implicit" | "none";

/** Mail server settings of the operator. */
export interface MailServer {
  host: string;
  /** Address to connect to, instead of resolving the host. */
  address?: string;
  port: number;
  tls: MailTls;
  credentials?: { user: string; password: string };
  /** Trusted certificates (PEM), instead of the public ones. */
  trusted?: string;
}

export interface MailMessage {
  from: MailSender;
  /** Plain addresses. */
  to: readonly string[];
  subject: string;
  body: string;
}

export interface MailReceipt {
  messageId: string;
  accepted: string[];
  rejected: string[];
}

const CONNECT_MS = 10_000;
const SILENCE_MS = 15_000;
const IMPLICIT_TLS_PORT = 465;

/** Returns true if the host name or address is a loopback one. */
export function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/**
 * Sends a message to the mail server. Credentials are sent only over an encrypted connection or to a server on this machine. Throws
 * AppError `mail_failed`, whose message for the model contains only the server's status, or the signal's reason.
 */
export async function sendMail(
  server: MailServer,
  message: MailMessage,
  signal: AbortSignal,
): Promise<MailReceipt> {
  const { createTransport } = await import("nodemailer");
  const { host, address, port, credentials, trusted } = server;
  const transport = createTransport({
    host: address ?? host,
    port,
    ...protection(server),
    tls: {
      rejectUnauthorized: true,
      minVersion: "TLSv1.2",
      ...(address === undefined || isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0 ? {} : { servername: host }),
      ...(trusted === undefined ? {} : { ca: trusted }),
    },
    ...(credentials && {
      auth: { user: credentials.user, pass: credentials.password },
      // If the server offers no login, the message is not sent.
      forceAuth: true,
    }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const { from, to, subject, body } = message;
  try {
    const { messageId, accepted, rejected } = await transport.sendMail({
      from,
      to: to.map((address) => ({ name: "", address })),
      envelope: { from: from.address, to: [...to] },
      subject,
      text: body,
      xMailer: false,
      signal,
    });
    return { messageId, accepted: accepted.map(addressOf), rejected: rejected.map(addressOf) };
  } catch (thrown) {
    signal.throwIfAborted();
    throw mailFault(thrown as NodemailerError);
  } finally {
    transport.close();
  }
}

function protection({ host, port, tls, credentials }: MailServer) {
  if (tls === "implicit" || (tls === "auto" && port === IMPLICIT_TLS_PORT)) return { secure: true };
  if (tls === "none") return { secure: false, ignoreTLS: true };
  const required = tls === "starttls" || (credentials !== undefined && !isLoopbackHost(host));
  return { secure: false, requireTLS: required, opportunisticTLS: !required };
}

function addressOf(recipient: string | { address: string }): string {
  return typeof recipient === "string" ? recipient : recipient.address;
}

const faults: Record<string, string> = {
  EAUTH: "The mail server refused the login; its configuration has to be corrected.",
  ENOAUTH: "The mail server refused the login; its configuration has to be corrected.",
  ETLS: "The connection to the mail server could not be protected; its configuration has to be corrected.",
  ETIMEDOUT: "The mail server did not answer in time; try again later.",
};

/** Omits the text of the server's answer, because it may repeat sent data. */
function mailFault(thrown: NodemailerError): AppError {
  const status = thrown.responseCode;
  const known = faults[thrown.code ?? ""];
  const message =
    known ??
    (status === undefined
      ? "The mail server could not be reached; try again later."
      : `The mail server refused the ${thrown.code === "EENVELOPE" ? "sender or every recipient" : "message"} (status ${status}); ${status < 500 ? "try again later" : "check the addresses and the text"}.`);
  return new AppError("upstream_failed", "mail_failed", message, { cause: thrown });
}
