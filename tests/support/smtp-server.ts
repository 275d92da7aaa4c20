import { type AddressInfo, createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";

/** A message as it arrived. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** Headers and body, dots unstuffed. */
  text: string;
  /** True if it arrived over TLS. */
  secure: boolean;
  /** The logged-in user. */
  user: string | undefined;
}

export interface SmtpScript {
  /** Key and certificate (PEM): STARTTLS is offered, or with `implicitTls` TLS is used from the first byte. */
  tls?: { key: string; cert: string };
  implicitTls?: boolean;
  /** Accepted login and password; AUTH is offered if they are set. */
  user?: { name: string; password: string };
  /** True if AUTH is offered before TLS. */
  authInClear?: boolean;
  /** Replies instead of the usual ones: to a command (`MAIL`, `RCPT`, `DATA`, `GREETING`, `MESSAGE` …) that contains the text. */
  answers?: { to: string; with?: string; reply: string }[];
  /** Command after which the server stops answering. */
  silentAfter?: string;
}

/** An SMTP server on loopback (RFC 5321, STARTTLS, AUTH PLAIN and LOGIN) that keeps its messages. */
export interface SmtpServer extends AsyncDisposable {
  port: number;
  mails: ReceivedMail[];
  /** Every line it received, including credentials but not the messages. */
  lines: string[];
}

export async function startSmtpServer(script: SmtpScript = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    const session = new SmtpSession(script, { mails, lines });
    if (script.implicitTls) session.serve(protect(socket, script), true);
    else session.serve(socket, false);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    lines,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function protect(socket: Socket, { tls }: SmtpScript): TLSSocket {
  if (tls === undefined) throw new Error("no certificate");
  const secure = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(tls) });
  secure.on("error", () => {});
  return secure;
}

class SmtpSession {
  readonly #script: SmtpScript;
  readonly #kept: Pick<SmtpServer, "mails" | "lines">;
  #socket: Socket | undefined;
  #secure = false;
  #rest = "";
  #from = "";
  #to: string[] = [];
  #user: string | undefined;
  #login: { name: string } | "name" | undefined;
  #message: string[] | undefined;
  #silent = false;

  constructor(script: SmtpScript, kept: Pick<SmtpServer, "mails" | "lines">) {
    this.#script = script;
    this.#kept = kept;
  }

  serve(socket: Socket, secure: boolean, greets = true): void {
    this.#socket = socket;
    this.#secure = secure;
    this.#rest = "";
    socket.on("data", (data) => {
      if (this.#socket !== socket) return;
      this.#rest += data.toString("latin1");
      for (let end = this.#rest.indexOf("\r\n"); end !== -1; end = this.#rest.indexOf("\r\n")) {
        const line = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 2);
        this.#read(line);
      }
    });
    if (greets) this.#answer("GREETING", "", "220 mail.test ESMTP");
  }

  #read(line: string): void {
    if (this.#silent) return;
    if (this.#message !== undefined) {
      this.#readMessage(line);
      return;
    }
    this.#kept.lines.push(line);
    if (this.#login === undefined) this.#obey(line);
    else this.#readLogin(line);
  }

  #obey(line: string): void {
    const command = line.split(/[ :]/, 1)[0]?.toUpperCase() ?? "";
    const reply = this.#replyTo(command, line);
    this.#answer(command, line, reply);
    if (command === "STARTTLS" && reply.startsWith("220") && this.#socket) {
      this.serve(protect(this.#socket, this.#script), true, false);
    }
  }

  #replyTo(command: string, line: string): string {
    const { tls, user, authInClear = false } = this.#script;
    const isClear = !this.#secure;
    switch (command) {
      case "EHLO": {
        const offers = [
          ...(tls && isClear ? ["STARTTLS"] : []),
          ...(user && (this.#secure || authInClear) ? ["AUTH PLAIN LOGIN"] : []),
          "8BITMIME",
        ];
        return ["mail.test", ...offers]
          .map((text, index) => `250${index === offers.length ? " " : "-"}${text}`)
          .join("\r\n");
      }
      case "HELO":
      case "NOOP":
        return "250 OK";
      case "STARTTLS":
        return tls && isClear ? "220 Go ahead" : "502 Not here";
      case "AUTH":
        return this.#authenticate(line);
      case "MAIL":
        this.#from = addressIn(line);
        this.#to = [];
        return "250 OK";
      case "RCPT":
        return "250 OK";
      case "DATA":
        return "354 Go on";
      case "RSET":
        this.#to = [];
        return "250 OK";
      case "QUIT":
        return "221 Bye";
      default:
        return "500 What?";
    }
  }

  #authenticate(line: string): string {
    const [, method = "", initial] = line.split(" ");
    if (method.toUpperCase() === "PLAIN" && initial !== undefined) {
      const [, name = "", password = ""] = decode(initial).split("\0");
      return this.#check(name, password);
    }
    this.#login = "name";
    return `334 ${btoa("Username:")}`;
  }

  #readLogin(line: string): void {
    if (this.#login === "name") {
      this.#login = { name: decode(line) };
      this.#write(`334 ${btoa("Password:")}`);
      return;
    }
    const { name } = this.#login as { name: string };
    this.#login = undefined;
    this.#write(this.#check(name, decode(line)));
  }

  #check(name: string, password: string): string {
    const { user } = this.#script;
    if (user?.name !== name || user.password !== password) return `535 5.7.8 ${password} is wrong`;
    this.#user = name;
    return "235 Welcome";
  }

  #answer(command: string, line: string, usual: string): void {
    const { answers = [], silentAfter } = this.#script;
    const own = answers.find(({ to, with: text = "" }) => to === command && line.includes(text));
    if (silentAfter === command) this.#silent = true;
    else {
      const reply = own?.reply ?? usual;
      if (command === "RCPT" && reply.startsWith("250")) this.#to.push(addressIn(line));
      if (command === "DATA" && reply.startsWith("354")) this.#message = [];
      this.#write(reply);
      if (command === "QUIT") this.#socket?.end();
    }
  }

  #readMessage(line: string): void {
    const message = this.#message ?? [];
    if (line !== ".") {
      message.push(line.startsWith(".") ? line.slice(1) : line);
      return;
    }
    this.#message = undefined;
    const text = Buffer.from(message.join("\r\n"), "latin1").toString("utf8");
    const refused =
      this.#script.answers?.some(({ to }) => to === "MESSAGE") || this.#script.silentAfter === "MESSAGE";
    if (!refused) {
      this.#kept.mails.push({ from: this.#from, to: this.#to, text, secure: this.#secure, user: this.#user });
    }
    this.#answer("MESSAGE", "", "250 Taken");
  }

  #write(reply: string): void {
    this.#socket?.write(`${reply}\r\n`);
  }
}

const decode = (text: string) => Buffer.from(text, "base64").toString("utf8");
const addressIn = (line: string) => line.slice(line.indexOf("<") + 1, line.indexOf(">"));
