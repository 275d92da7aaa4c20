import { isIP } from "node:net";
import type { NodemailerError } from "nodemailer";
import { AppError } from "../../../kit/app-error.ts";
import type { Sender } from "./email-address.ts";

/** How a connection to the mail server is protected. */
export type MailTls = "auto" | "starttls" | "implicit" | "none";

/** The mail server as the operator configured it. */
export interface MailServer {
  host: string;
  /** Connects there in place of looking the host up. */
  address?: string;
  port: number;
  tls: MailTls;
  credentials?: { user: string; password: string };
  /** Certificates (PEM) that are trusted in place of the public ones. */
  trusted?: string;
}

export interface MailMessage {
  from: Sender;
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

/** Whether a host is this machine by its very name. */
export function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/**
 * Hands a message to the mail server. Credentials never leave unprotected, but for a server on this machine. Throws AppError
 * `mail_failed` with a message for the model that says nothing of the server but its status, or the signal's reason.
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
      // A server that offers no login gets no message in its place.
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
  EAUTH: "The mail server refused the login; its configuration has to be mended.",
  ENOAUTH: "The mail server refused the login; its configuration has to be mended.",
  ETLS: "The connection to the mail server could not be protected; its configuration has to be mended.",
  ETIMEDOUT: "The mail server did not answer in time; try again later.",
};

/** The text of the server's answer is left out: it may repeat what it was sent. */
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
